"""The `release` commands."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click

from benchwright.cli.output import emit, json_option, note
from benchwright.errors import CheckFailed

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("verify")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option("--expect", metavar="ID", help="Release id or content id to have, or at least 12 digits of one.")
@click.option(
    "--signed-by",
    type=_FILE,
    metavar="FILE",
    help="Allowed signers, one of whom must have signed it: names and SSH keys.",
)
@click.option("--identity", metavar="NAME", help="The one name in that file that counts.  [default: any]")
@click.option("--revoked", type=_FILE, metavar="FILE", help="SSH keys that do not count any more.")
@click.option(
    "--signature", type=_FILE, metavar="FILE", help="Where the signature lies.  [default: manifest.json.sig in DIR]"
)
@json_option
def verify(
    folder: Path,
    *,
    expect: str | None,
    signed_by: Path | None,
    identity: str | None,
    revoked: Path | None,
    signature: Path | None,
    as_json: bool,
) -> None:
    """Check every file, every row and the card of the release in DIR; exit 1 if anything does not hold.

    That it is the release that was frozen only --expect or --signed-by can prove.
    """
    from benchwright.release import verify_release
    from benchwright.release.verification.signature import AllowedSigners

    if signed_by is None:
        for option, value in (("--identity", identity), ("--revoked", revoked), ("--signature", signature)):
            if value is not None:
                raise click.UsageError(f"{option} goes with --signed-by FILE, the keys that count")
    signers = None if signed_by is None else AllowedSigners(signed_by, identity, revoked, signature)
    verification = verify_release(folder, expect=expect, signers=signers)
    document = {
        "ok": verification.ok,
        "release_id": verification.release_id,
        "content_id": verification.content_id,
        "problems": verification.problems,
        "proven": verification.proven,
        "not_proven": verification.not_proven,
        "signer": None if verification.signer is None else asdict(verification.signer),
    }

    def text() -> str:
        proven = [f"  {line}" for line in verification.proven]
        not_proven = [f"  {line}" for line in verification.not_proven]
        head = f"{folder} agrees with itself, release id {verification.release_id}"
        return "\n".join([head, "proven:", *proven, *(["not proven:", *not_proven] if not_proven else [])])

    emit(document, as_json=as_json, text=text if verification.ok else "\n".join(verification.problems))
    if not verification.ok:
        n = len(verification.problems)
        note(f"{folder} does not hold: {n} problem{'s' if n > 1 else ''}; get a fresh copy of the release")
        click.get_current_context().exit(CheckFailed.exit_code)


@click.command("sign")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--key",
    type=_FILE,
    required=True,
    metavar="FILE",
    help="Private SSH key, or the public one whose private half your SSH agent holds.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Where the signature goes.  [default: manifest.json.sig in DIR]",
)
@json_option
def sign(folder: Path, *, key: Path, out: Path | None, as_json: bool) -> None:
    """Sign the release in DIR with an SSH key, after checking it as `release verify` does."""
    from .signing import sign_release

    place, signer, release_id = sign_release(folder, key, out=out)
    document = {"signature": str(place), "release_id": release_id, "key": signer.key}
    emit(document, as_json=as_json, text=f"{place}: release id {release_id} signed with {signer.key}")


@click.command("show")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@json_option
def show(folder: Path, *, as_json: bool) -> None:
    """Say which release lies in DIR and how many items it holds."""
    from benchwright.release import Release

    release = Release.open(folder)
    counts, marked = release.manifest.counts, release.marked()
    document = {
        "name": release.name,
        "version": release.version,
        "release_id": release.release_id,
        "content_id": release.content_id,
        "canary": release.canary,
        "licence": release.manifest.licence,
        "items": counts.items,
        "splits": {
            split: {
                "items": counts.splits[split].items,
                "tasks": dict(sorted(counts.splits[split].tasks.items())),
            }
            for split in release.splits
        },
        "marked": {"items": sum(marked.values()), "tasks": marked},
    }

    def text() -> str:
        lines = [
            f"{release.name} {release.version}: {counts.items} items",
            f"release id {release.release_id}",
        ]
        for split in release.splits:
            tasks = ", ".join(f"{task} {n}" for task, n in sorted(counts.splits[split].tasks.items()))
            lines.append(f"{split}: {counts.splits[split].items} items ({tasks})")
        if marked:
            tasks = ", ".join(f"{task} {n}" for task, n in marked.items())
            lines.append(
                f"{sum(marked.values())} of {counts.items} items need marks that are not in their pictures ({tasks}); "
                "`benchwright.release.drawn_pictures` draws them, and the card shows how"
            )
        return "\n".join(lines)

    emit(document, as_json=as_json, text=text)


@click.command("freeze")
@click.option("--workspace", required=True, type=_FOLDER, help="Workspace whose run is complete.")
@click.option("--name", required=True, help="Name of the benchmark.")
@click.option("--version", help="Version of the release, such as 1.0; without it, a draft.")
@click.option("--licence", help="Licence of the release as a whole, such as cc-by-4.0.")
@click.option("--description", default="", help="Markdown for the card.")
@click.option(
    "--errata",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Errata to set right, as `review results` writes them.",
)
@json_option
def freeze(
    workspace: Path,
    *,
    name: str,
    version: str | None,
    licence: str | None,
    description: str,
    errata: Path | None,
    as_json: bool,
) -> None:
    """Freeze what is left of a workspace's items into a release under its `releases` folder."""
    from .freeze import freeze_workspace

    release = freeze_workspace(
        workspace, release=name, version=version, licence=licence, description=description, errata=errata
    )
    document = {
        "release": str(release.path),
        "name": release.name,
        "version": release.version,
        "release_id": release.release_id,
        "content_id": release.content_id,
        "items": len(release),
    }
    emit(
        document,
        as_json=as_json,
        text=f"{release.path}: {len(release)} items, release id {release.release_id}",
    )


@click.command("correct")
@click.argument("folder", metavar="DIR", type=_FOLDER)
@click.option(
    "--errata",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="What people found wrong, as `review results` writes it.",
)
@click.option("--version", required=True, help="Of the new release, such as 1.1.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the new release.")
@click.option("--description", default="", help="Markdown for the card.")
@json_option
def correct(folder: Path, *, errata: Path, version: str, out: Path, description: str, as_json: bool) -> None:
    """Write the next version of the release in DIR: wrong keys set right, other items found wrong left out."""
    from benchwright.release import Release
    from benchwright.release.format.errata import read_errata, released_errata

    from .correct import correct_release

    wanted = read_errata(errata)
    release = correct_release(Release.open(folder), wanted, version=version, out=out, description=description)
    mine = {(erratum.item_id, erratum.content_hash) for erratum in wanted}
    became = [
        str(erratum.became) for erratum in released_errata(release) if (erratum.item_id, erratum.content_hash) in mine
    ]
    counts = {name: became.count(name) for name in sorted(set(became))}
    document = {
        "release": str(release.path),
        "name": release.name,
        "version": release.version,
        "release_id": release.release_id,
        "content_id": release.content_id,
        "items": len(release),
        "errata": counts,
    }
    summary = ", ".join(f"{n} {name}" for name, n in counts.items()) or "nothing"
    emit(document, as_json=as_json, text=f"{release.path}: {len(release)} items; errata: {summary}")
