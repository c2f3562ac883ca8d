"""``benchwright review forget``: a person's name goes from the review store, and a pseudonym takes its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import click

from benchwright.cli.output import emit, json_option
from benchwright.text_normalization import counted, printable

from .selection import open_for_commands, workspace_of, workspace_option

_MOST_BYTES = 256 * 2**20
_SHOWN = 20


@click.command("forget")
@click.argument("person", help="Name by which the person decides.")
@workspace_option
@click.option("--irreversibly", is_flag=True, help="Do it; without this, it is only said what would change.")
@json_option(
    """
    `{"is_done", "pseudonym", "decisions", "texts", "acts", "drafts", "log_rows", "rehashed", "had_account",
    "examples": [text], "head", "named_in": [file]}`; `pseudonym` is null where nothing was changed, `head` is the last
    hash of the audit log, and `named_in` lists files of the workspace that name the person still
    """
)
def forget(person: str, workspace: Path | None, *, irreversibly: bool, as_json: bool) -> None:
    """Put a random pseudonym in the place of a person's name: in votes, times, notes, comments and the audit log.

    What they decided stays and counts. Their account is locked, without password, sessions and linked identities, and
    their drafts are deleted. It cannot be undone: nothing keeps whom the pseudonym stands for. Hashes of the audit log
    that you noted before fit no longer. Files that still name the person are listed.
    """
    from ..store import forget_person
    from ..store.database.audit import clock

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        done = forget_person(store, person, now=clock(), dry_run=not irreversibly)
        head = store.audited().head
    files = list(_files_naming(root, person))
    document = {
        **asdict(done),
        "is_done": irreversibly,
        "pseudonym": done.pseudonym if irreversibly else None,
        "examples": done.examples if irreversibly else [],
        "head": head,
        "named_in": files,
    }

    def text() -> str:
        lines = [
            f"{person} is {done.pseudonym} from now on"
            if irreversibly
            else f"with --irreversibly, a pseudonym takes the place of {person}",
            f"{counted(done.decisions, 'version of a decision', 'versions of decisions')}, "
            f"{counted(done.texts, 'note or comment', 'notes and comments')} with the person's name, "
            f"{counted(done.acts, 'other place')}, {counted(done.log_rows, 'row')} of the audit log "
            f"({done.rehashed} with new hashes)",
            f"{counted(done.drafts, 'draft')} deleted"
            + ("; the account is locked and emptied" if done.had_account else ""),
        ]
        if irreversibly:
            lines += [f"  now: {example}" for example in done.examples]
            lines.append(f"the audit log's last hash is {head}")
        if files:
            more = f"\n  and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
            lines.append(
                "files that name the person still: run the recipe again, which writes tables anew, and remove what "
                "stays:\n  " + "\n  ".join(files[:_SHOWN]) + more
            )
        lines.append("backups, exports and releases outside of the workspace are not looked at")
        return "\n".join(printable(line) for line in "\n".join(lines).split("\n"))

    emit(document, as_json=as_json, text=text)


def _files_naming(root: Path, name: str) -> Iterator[str]:
    """Yield the files of a workspace, besides the review store, in which a name stands as a whole word or value."""
    import re

    pattern = re.compile(rb"(?<![\w])" + re.escape(name.encode()) + rb"(?![\w])", re.IGNORECASE)
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith("review.") or "objects" in path.parts:
            continue
        if path.stat().st_size <= _MOST_BYTES and any(pattern.search(data) for data in _contents(path)):
            yield path.relative_to(root).as_posix()


def _contents(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes; of a Parquet file, whose pages are compressed, the texts of its columns."""
    if path.suffix != ".parquet":
        yield path.read_bytes()
        return
    import pyarrow as pa
    import pyarrow.compute as pc
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
        texts = [field.name for field in file.schema_arrow if pa.types.is_string(field.type)]
        for batch in file.iter_batches(columns=texts):
            for column in batch.columns:
                for value in pc.unique(column).to_pylist():
                    yield (value or "").encode("utf-8", "surrogatepass")
    except (OSError, ValueError):  # damaged: `benchwright check` says so
        yield path.read_bytes()
