"""``benchwright review forget``: replace a person's name in the review store with a pseudonym."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import DataError
from benchwright.files.parquet_tables import ParquetTable
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import open_for_commands, workspace_of, workspace_option

if TYPE_CHECKING:
    from ..store.accounts.forgetting import Mention

_MOST_BYTES = 256 * 2**20
_SHOWN = 20
_LONG = 200


@click.command("forget")
@click.argument("person", help="Name under which the person decides.")
@workspace_option
@click.option(
    "--also",
    multiple=True,
    metavar="NAME",
    help="Another name that notes and comments use for this person only, such as the first name; may be repeated.",
)
@click.option(
    "--irreversibly", is_flag=True, help="Carry it out; without this, the command only reports what would change."
)
@json_option(
    """
    `{"is_done", "pseudonym", "decisions", "texts", "acts", "drafts", "log_rows", "rehashed", "had_account",
    "examples": [text], "head", "named_in": [file], "searched": [name], "parts": [word], "mentions": [{"place", "row",
    "words", "text", "is_note"}]}`; `pseudonym` is null if nothing changed, `head` is the last hash of the audit
    log, and `named_in` lists files of the workspace that still name the person; `searched` lists the names searched
    for, `parts` their words, and `mentions` the texts that stay unchanged although they hold such a word, or, in items
    and guidelines, a name
    """
)
def forget(person: str, workspace: Path | None, also: tuple[str, ...], *, irreversibly: bool, as_json: bool) -> None:
    """Replace a person's name with a random pseudonym: in votes, times, notes, comments and the audit log.

    In notes and comments the pseudonym replaces the whole name, in any case, with or without accents, and names given
    with --also. Notes with only a part of it, such as the first name, may mean another person: they are listed, for you
    to decide, and stay as they are unless --also names that part.

    The person's decisions stay and count. Their account is locked, without password, sessions and linked identities,
    and their drafts are deleted. This cannot be undone: no record links the pseudonym to the name. Hashes of the audit
    log noted earlier no longer match. The command lists the files that still name the person.
    """
    from ..store.accounts.forgetting import forget_person
    from ..store.database.audit import clock

    root = workspace_of(workspace)
    with open_for_commands(root) as store:
        done = forget_person(store, person, now=clock(), also=also, dry_run=not irreversibly)
        head = store.audited().head
    files = list(_files_naming(root, done.searched))
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
            f"{counted(done.texts, 'note or comment', 'notes and comments')} that name the person, "
            f"{counted(done.acts, 'other place')}, {counted(done.log_rows, 'row')} of the audit log "
            f"({done.rehashed} with new hashes)",
            f"searched for {_listed(done.searched)}"
            + (f", and for their parts {_listed(done.parts)}" if done.parts else "; it has no parts to search for"),
            f"{counted(done.drafts, 'draft')} deleted"
            + ("; the account is locked and emptied" if done.had_account else ""),
        ]
        if irreversibly:
            lines += [f"  now: {example}" for example in done.examples]
            lines.append(f"the audit log's last hash is {head}")
        lines += _mentions_text(done.mentions)
        if files:
            more = f"\n  and {len(files) - _SHOWN} more" if len(files) > _SHOWN else ""
            lines.append(
                "files that still name the person: run the recipe again to rewrite its tables, then remove the "
                "rest:\n  " + "\n  ".join(files[:_SHOWN]) + more
            )
        lines.append("backups, exports and releases outside the workspace were not searched")
        return "\n".join(printable(line) for line in "\n".join(lines).split("\n"))

    emit(document, as_json=as_json, text=text)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(repr(name) for name in names)


def _mentions_text(mentions: Sequence[Mention]) -> list[str]:
    """Return lines about the texts that were left unchanged and may name the person."""
    lines = []
    for is_note, one, several, then in (
        (
            True,
            "note or comment holds a part of the name and stays unchanged",
            "notes and comments hold a part of the name and stay unchanged",
            "--also NAME replaces it in these",
        ),
        (
            False,
            "text of an item or of guidelines holds a name or a part of it and stays",
            "texts of items and guidelines hold a name or a part of it and stay",
            "change them where you wrote them",
        ),
    ):
        some = [mention for mention in mentions if mention.is_note == is_note]
        lines += [f"{counted(len(some), one, several)}; {then}"] if some or is_note else []
        lines += [f"  {mention.place}, row {mention.row}: {mention.text[:_LONG]}" for mention in some[:_SHOWN]]
        lines += [f"  and {len(some) - _SHOWN} more, which --json lists"] if len(some) > _SHOWN else []
    return lines


def _files_naming(root: Path, names: Sequence[str]) -> Iterator[str]:
    """Yield the files of a workspace, except the review store, that contain a name as a whole word or value."""
    import re

    from ..store.accounts.person_names import spellings

    spelled = b"|".join(map(re.escape, spellings(names)))
    pattern = re.compile(rb"(?<![\w])(?:" + spelled + rb")(?![\w])", re.IGNORECASE)
    for path in sorted(root.rglob("*")):
        if path.is_symlink() or not path.is_file() or path.name.startswith("review.") or "objects" in path.parts:
            continue
        if path.stat().st_size <= _MOST_BYTES and any(pattern.search(data) for data in _contents(path)):
            yield path.relative_to(root).as_posix()


def _contents(path: Path) -> Iterator[bytes]:
    """Yield a file's bytes, or the texts in the columns of a Parquet file, whose pages are compressed."""
    if path.suffix != ".parquet":
        yield path.read_bytes()
        return
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        with ParquetTable(path, title=str(path)) as table:
            texts = [field.name for field in table.schema if pa.types.is_string(field.type)]
            for batch in table.batches(texts):
                for column in batch.columns:
                    for value in pc.unique(column).to_pylist():
                        yield (value or "").encode("utf-8", "surrogatepass")
    except (OSError, DataError):  # damaged: `benchwright check` reports it
        yield path.read_bytes()
