"""``benchwright review likeness``: the vectors with which the app compares items."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.terminal.output import emit, json_option

from .selection import open_for_commands, workspace_of, workspace_option

_FOLDER = click.Path(path_type=Path, file_okay=False)


@click.command("likeness")
@workspace_option
@click.option(
    "--sentences",
    type=_FOLDER,
    metavar="DIR",
    help="Folder of a sentence model of transformers, for questions.  [default: the last one used, else a common one "
    "on this machine]",
)
@click.option(
    "--pictures",
    type=_FOLDER,
    metavar="DIR",
    help="Folder of a vision model of transformers, such as DINOv2 or CLIP, for pictures.  [default: likewise]",
)
@json_option(
    """
    `{"vectors": [{"kind", "model", "made", "kept", "unreadable"}]}`; `kind` is `words` or `pictures`, `model` a folder,
    null where there is none
    """
)
def likeness(workspace: Path | None, sentences: Path | None, pictures: Path | None, as_json: bool) -> None:
    """Embed pictures and questions, so that the app can find similar items.

    Each picture and each question is embedded once, by a model in a folder on this machine, without downloads. The
    vectors stay in `cache/` of the workspace. Run the command again after making more items. Without vectors the app
    compares pictures by perceptual hashes and questions by their shared words.
    """
    from benchwright.terminal.progress_bars import ProgressBars

    from ..items.item_index import ItemIndex
    from ..items.vector_making import in_words, make_vectors

    root = workspace_of(workspace)
    with open_for_commands(root) as store, ProgressBars() as progress:
        made = make_vectors(root, ItemIndex(root, store), sentences=sentences, pictures=pictures, progress=progress)
    document = {
        "vectors": [{**kind._asdict(), "model": None if kind.model is None else str(kind.model)} for kind in made]
    }
    emit(document, as_json=as_json, text=lambda: "\n".join(map(in_words, made)))
