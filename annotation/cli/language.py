"""``benchwright review language``: a file to begin or update a language of the review app."""

from __future__ import annotations

from pathlib import Path

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option


@click.command("language")
@click.argument("tag", metavar="TAG", help="Language, such as fr or pt-BR.")
@click.option(
    "--from",
    "file",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Existing file of the language, named by its tag: valid entries stay, missing ones are added.",
)
@click.option(
    "--settings",
    is_flag=True,
    help="Print the file with the descriptions of recipe settings instead, which belongs in the folder `settings`.",
)
@json_option('`{"tag", "file", "problems": [...]}`; `file` is the text, `problems` what is wrong with --from')
def language(tag: str, file: Path | None, settings: bool, as_json: bool) -> None:
    """Print the file of a language of the review app, with every English text that is not translated yet.

    Translate the file, put it into a folder under the name TAG.toml, and start
    the app with `review serve --languages DIR`. Texts that still begin with "EN: " are untranslated. The
    descriptions of recipe settings, for curators, are in another file, DIR/settings/TAG.toml. Needs the extra `app`.
    """
    from .app import check_app_is_installed

    check_app_is_installed()
    if file is not None and file.stem != tag:
        raise BenchwrightError(
            f"{file} is named for the language {file.stem!r}, not {tag!r}; rename it or give its tag"
        )
    text, problems = _of_settings(tag, file) if settings else _of_pages(tag, file)
    emit({"tag": tag, "file": text, "problems": problems}, as_json=as_json, text=lambda: text)


def _of_pages(tag: str, file: Path | None) -> tuple[str, list[str]]:
    """Return the text of a language file, and the faults of the existing file."""
    from ..app.base.own_texts import english_texts
    from ..app.languages.language_file import problems_of, written_file

    english = english_texts()
    problems = [] if file is None else problems_of(file, english)
    return written_file(tag, english, file), problems


def _of_settings(tag: str, file: Path | None) -> tuple[str, list[str]]:
    """Return the text of a file with the descriptions of settings, and the faults of the existing file."""
    from ..app.base.setting_texts import english_settings
    from ..app.languages.language_file import check_tag
    from ..app.languages.setting_file import setting_problems, written_settings

    check_tag(tag)
    english = english_settings()
    problems = [] if file is None else setting_problems(file, english)
    return written_settings(tag, english, file), problems
