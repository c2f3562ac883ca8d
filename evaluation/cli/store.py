"""`benchwright results`: a store of runs across releases and versions."""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted, printable

_STORE = click.option(
    "--store",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("results-store"),
    show_default=True,
    metavar="DIR",
    help="Folder of the store.",
)
_RUN = click.argument("run", help="Name of a run, its id, or the beginning of its id.")


@click.command("list")
@_STORE
@json_option(
    """
    `{"runs": [{"run", "setup", "name", "system", "model", "protocol", "reader", "release", "release_id", "split",
    "accuracy": {"value", "ci", "n", "method"}, "unfit", "folder"}]}`; runs of equal `setup` are repeats
    """
)
def list_runs(store: Path, as_json: bool) -> None:
    """List the runs of a store."""
    from ..results_store.store import ResultsStore

    runs = ResultsStore(store).runs()
    lines = [_line(run.run, run.title, f"{run.score.release} {run.score.split or ''}".strip()) for run in runs]
    emit({"runs": [run.document() for run in runs]}, as_json=as_json, text="\n".join(lines) or "the store has no runs")


@click.command("show")
@_RUN
@_STORE
@json_option('`{"run", "setup", "name", "folder", "score"}`; `score` is as in `evaluate run`')
def show(run: str, store: Path, as_json: bool) -> None:
    """Show a run: its score, and all settings that determine it."""
    import json

    from ..results_store.store import ResultsStore

    found = ResultsStore(store).find(run)
    document = {
        "run": found.run,
        "setup": found.setup,
        "name": found.name,
        "folder": str(found.folder),
        "score": found.score.document(),
    }
    score = found.score
    figures = [
        f"  {printable(name)}: {figure.value:.3f} (n {figure.n})"
        for name, figure in score.metrics.items()
        if figure.value is not None
    ]
    lines = [
        f"{printable(found.title)}: run {found.run}, settings {found.setup}",
        f"  {printable(score.release)} ({score.release_id[:12]}), {printable(score.split or 'all splits')}",
        f"  {printable(score.model)}, protocol {printable(score.protocol)}, read by {printable(score.reader)}",
        f"  settings: {printable(json.dumps(score.asked_with, ensure_ascii=False, sort_keys=True))}",
        *figures,
        f"  {found.folder}",
    ]
    emit(document, as_json=as_json, text="\n".join(lines))


@click.command("rename")
@_RUN
@click.argument("name", help="Its new name.")
@_STORE
@json_option('`{"run", "name"}`')
def rename(run: str, name: str, store: Path, as_json: bool) -> None:
    """Give a run a name of your own, for tables and boards."""
    from ..results_store.store import ResultsStore

    found = ResultsStore(store).rename(run, name)
    emit({"run": found.run, "name": name}, as_json=as_json, text=f"{found.run} is now named {printable(name)}")


@click.command("remove")
@_RUN
@_STORE
@json_option('`{"moved_to"}`')
def remove(run: str, store: Path, as_json: bool) -> None:
    """Move a run to the trash folder of the store; nothing is deleted."""
    from ..results_store.store import ResultsStore

    found, place = ResultsStore(store).remove(run)
    free = "" if found.name is None else f", and the name {printable(found.name)} is free again"
    text = f"moved to {place}{free}; `benchwright results merge {place} --store {store}` brings it back"
    emit({"moved_to": str(place)}, as_json=as_json, text=text)


@click.command("merge")
@click.argument(
    "sources",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, path_type=Path),
    help="Other stores, folders of results or single results; with --release, files of predictions.",
)
@_STORE
@click.option(
    "--release",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="DIR",
    help="Release on which to score files of predictions first, ours or those of lmms-eval, VLMEvalKit, inspect_ai "
    "or HELM, with our reader.",
)
@json_option('`{"added": [run], "known": [run], "unnamed": [name]}`')
def merge(sources: tuple[Path, ...], store: Path, release: Path | None, as_json: bool) -> None:
    """Copy results into a store, from other stores, folders of results or other programs' files.

    Equal runs become one; no run is overwritten, and the sources stay.
    """
    from benchwright.errors import BenchwrightError

    from ..results_store.store import ResultsStore
    from ..run import evaluate

    files = [source for source in sources if source.is_file()]
    if files and release is None:
        raise BenchwrightError(f"{files[0]} is a file; name the release that it answers with --release DIR")
    with tempfile.TemporaryDirectory() as folder:
        scored = []
        for number, file in enumerate(files):
            assert release is not None
            scored.append(Path(folder) / str(number))
            evaluate(release, f"predictions:{file}", out=scored[-1], name=file.stem)
        merged = ResultsStore(store).merge([*(source for source in sources if source.is_dir()), *scored])
    for name in merged.unnamed:
        note(f"another run here is named {printable(name)}, so the new one has no name; `results rename` gives")
    text = f"{counted(len(merged.added), 'run')} added, {len(merged.known)} already in the store"
    emit({name: list(ids) for name, ids in merged._asdict().items()}, as_json=as_json, text=text)


@click.command("export")
@click.argument("runs", nargs=-1, required=True, help="Names or ids of runs, of one release and split.")
@_STORE
@click.option("--out", type=click.Path(file_okay=False, path_type=Path), required=True, metavar="DIR", help="Folder.")
@json_option('`{"folders": [path]}`')
def export(runs: tuple[str, ...], store: Path, out: Path, as_json: bool) -> None:
    """Write runs as a folder of results, for `evaluate compare`, `leaderboard`, `report` and the others."""
    from ..results_store.exporting import export_runs
    from ..results_store.store import ResultsStore

    opened = ResultsStore(store)
    by_id = {run.run: run for run in map(opened.find, runs)}
    places = export_runs(list(by_id.values()), out)
    emit(
        {"folders": [str(place) for place in places]},
        as_json=as_json,
        text=f"{counted(len(places), 'run')} written to {out}",
    )


@click.command("board")
@_STORE
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Page to write, one self-contained HTML file.",
)
@json_option(
    """
    `{"format", "version", "blocks": [{"reader", "runs": {system: run}, "board"}], "apart": [{"first", "second", "why",
    "shared"}]}`; `board` is as in `evaluate leaderboard`; runs can be compared within a block only, and `apart` says
    why not between two
    """
)
def board(store: Path, out: Path | None, as_json: bool) -> None:
    """Rank the runs of a store over releases and versions, and show which are comparable."""
    from benchwright.pages import spelled

    from ..results_store.board import board_of
    from ..results_store.page import write_store_board
    from ..results_store.store import ResultsStore

    whole = board_of(ResultsStore(store).runs())
    if out is not None:
        write_store_board(whole, out)
        note(f"written to {out}")
    lines = []
    for number, block in enumerate(whole.blocks, start=1):
        lines += [
            printable(f"{number}. {block.title}"),
            *([f"   {block.board.why_no_ranks}"] if block.board.why_no_ranks else []),
        ]
        for row in block.board.rows:
            figure, rank = row.ranked.figure, "unfit" if row.score.unfit else str(row.ranked.rank or "-")
            lines.append("   " + _line(f"{rank:>6}", row.score.title, spelled(figure.value, figure.ci)))
        lines.append("")
    lines += [
        f"{pair.first + 1} and {pair.second + 1} cannot be compared: {pair.why}; "
        f"they share {counted(pair.shared, 'item')}"
        for pair in whole.apart
    ]
    emit(whole.document(), as_json=as_json, text="\n".join(lines) or "the store has no runs")


def _line(start: str, name: str, end: str) -> str:
    """Return a line shortened to at most 97 characters, unless its start is longer; long names and endings lose their
    middle.
    """
    name, end = (
        text if len(text) <= most else f"{text[: most - 13]}…{text[-12:]}"
        for text, most in ((printable(name), 46), (printable(end), 28))
    )
    return f"{start}  {name:<46}  {end}".rstrip()
