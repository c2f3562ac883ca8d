"""``benchwright trace``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from benchwright.cli.workspaces import find_workspace
from benchwright.release.format.provenance import ENCODED, LOSSLESS, TURNED
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import printable

if TYPE_CHECKING:
    from benchwright.workspace.record_lookup import RecordNames


@click.command()
@click.argument(
    "item", help="Id of an item or image, its first digits (at least 6), or a file's path below the image folder."
)
@click.option(
    "--workspace", type=click.Path(path_type=Path), help="Workspace.  [default: this folder, or the only one]"
)
@json_option('`{"kind": "item" or "image" or "file", "id", "chain": [{"what", ...}]}`')
def trace(item: str, workspace: Path | None, as_json: bool) -> None:
    """Show the history of an item, an image or a file, from source bytes through verdicts to releases and scores."""
    from benchwright.funnel.trace import trace as trace_of
    from benchwright.workspace.record_lookup import RecordNames
    from benchwright.workspace.workspace import Workspace

    root = find_workspace(workspace)
    document = trace_of(root, item)

    def text() -> str:
        known = RecordNames(Workspace.open(root))
        lines = [f"  {number:2}. {printable(_line(link, known))}" for number, link in enumerate(document["chain"], 1)]
        return "\n".join([f"{document['kind']} {document['id']}", *lines])

    emit(document, as_json=as_json, text=text)


def _line(link: dict[str, Any], known: RecordNames) -> str:
    kind = link["what"]
    if kind == "file":
        return f"file {link['uri']}: {link['verdict']}{' ' + link['reason'] if link['reason'] else ''}"
    if kind in {"source image", "made image"}:
        width, height = link["size_wh"]
        by = f" by {link['step']}" if kind == "made image" else ""
        return f"{kind} {link['image_id'][:12]} ({width} x {height}, {link['media_type']}){by}"
    if kind in {"item made", "item revised"}:
        return f"{kind} by {link['step']}: {link['item']['question']} answer {link['item']['answer']}"
    if kind in {"verdict", "overridden"}:
        return _judgement(link, known)
    if kind in {"released", "released file"}:
        ways = {ENCODED: "encoded", LOSSLESS: "encoded without loss", TURNED: "turned upright"}
        made = ways.get(str(link.get("step")), "without metadata")
        how = link["split"] if kind == "released" else f"{made}, as image {link['image_id'][:12]}"
        return f"released in {link['release']} ({how})"
    return f"scored: {link['results']}: " + ", ".join(
        f"{k}={known.spelled(v)}" for k, v in link.items() if k not in {"what", "results", "item_id"}
    )


def _judgement(link: dict[str, Any], known: RecordNames) -> str:
    if link["what"] == "overridden":
        did = "verdict reversed" if link["verdict"] == "keep" else "dropped by hand"
        return f"{link['step']}: {did} by {link['by']}: {link['why']}"
    values = ", ".join(f"{key}={known.spelled(value)}" for key, value in {**link["values"], **link["evidence"]}.items())
    judgement = f"{link['step']}: {link['verdict']}{' ' + link['reason'] if link['reason'] else ''}"
    return f"{judgement} ({values})" if values else judgement
