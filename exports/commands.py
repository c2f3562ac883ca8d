"""The `release` commands."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option, note
from benchwright.texts.normalization import counted

if TYPE_CHECKING:
    from benchwright.images.made_pictures import PictureRule
    from benchwright.release.writing.expected_size import ExpectedSize

    from .rights.redistribution import Redistribute

_FOLDER = click.Path(exists=True, file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)


@click.command("verify")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@click.option(
    "--expect",
    metavar="ID",
    help="Required release id or content id. A content id covers items and pictures alone. The first 12 or more digits "
    "suffice, but prove less.",
)
@click.option(
    "--signed-by",
    type=_FILE,
    metavar="FILE",
    help="File of allowed signers in the format of ssh-keygen: one name and public SSH key per line. One of them must "
    "have signed the release.",
)
@click.option("--identity", metavar="NAME", help="The only name in that file to accept.  [default: any]")
@click.option(
    "--revoked",
    type=_FILE,
    metavar="FILE",
    help="Revoked SSH keys: a key revocation list, or public keys, one per line.",
)
@click.option("--signature", type=_FILE, metavar="FILE", help="Signature file.  [default: manifest.json.sig in DIR]")
@click.option("--key", type=_FILE, metavar="FILE", help="Key file of the release's sealed splits, to check as well.")
@json_option(
    """
    `{"ok", "release_id", "content_id", "problems": [line], "proven": [line], "not_proven": [line], "signer":
    {"identity", "key"}}`; `signer` is null for an unsigned release, and its `identity` is null without `--signed-by`
    """
)
def verify(
    folder: Path,
    *,
    expect: str | None,
    signed_by: Path | None,
    identity: str | None,
    revoked: Path | None,
    signature: Path | None,
    key: Path | None,
    as_json: bool,
) -> None:
    """Check every file and row of a release, and its card against both.

    The output states what the check proves and what it does not. Only its id (--expect) or a signature (--signed-by)
    can prove that the release is the one its authors froze. Exit code 1 if any check fails, including the expected id
    and the signature.
    """
    from benchwright.release import verify_release
    from benchwright.release.verification.signature import AllowedSigners

    if signed_by is None:
        for option, value in (("--identity", identity), ("--revoked", revoked), ("--signature", signature)):
            if value is not None:
                raise click.UsageError(f"{option} requires --signed-by FILE, which lists the accepted keys")
    signers = None if signed_by is None else AllowedSigners(signed_by, identity, revoked, signature)
    verification = verify_release(folder, expect=expect, signers=signers, key=key)
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
        head = f"{folder} is consistent, release id {verification.release_id}"
        return "\n".join([head, "proven:", *proven, *(["not proven:", *not_proven] if not_proven else [])])

    emit(document, as_json=as_json, text=text if verification.ok else "\n".join(verification.problems))
    if not verification.ok:
        n = len(verification.problems)
        note(f"{folder} fails verification: {n} problem{'s' if n > 1 else ''}; get a fresh copy of the release")
        click.get_current_context().exit(CheckFailed.exit_code)


@click.command("sign")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@click.option(
    "--key",
    type=_FILE,
    required=True,
    metavar="FILE",
    help="Private SSH key, or the public key if your SSH agent holds the private one.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File for the signature.  [default: manifest.json.sig in DIR]",
)
@json_option('`{"signature", "release_id", "key"}`')
def sign(folder: Path, *, key: Path, out: Path | None, as_json: bool) -> None:
    """Sign a release with an SSH key, after checking it as `release verify` does.

    Never overwrites an existing signature.
    """
    from .signing import sign_release

    place, signer, release_id = sign_release(folder, key, out=out)
    document = {"signature": str(place), "release_id": release_id, "key": signer.key}
    emit(document, as_json=as_json, text=f"{place}: release id {release_id} signed with {signer.key}")


@click.command("show")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@json_option(
    """
    `{"name", "version", "release_id", "content_id", "canary", "licence", "items", "splits": {split: {"items",
    "tasks": {task: n}}}, "marked": {"items", "tasks": {task: n}}, "estimated": {"items", "tasks": {task: n},
    "decided_by"}, "sealed": [split]}`; `estimated` counts items whose truth a model estimated; `decided_by` names those
    who kept items: `people`, `simulated` if only simulated annotators did, or null; `sealed` names the splits whose
    answers are withheld
    """
)  # phrase: allowed
def show(folder: Path, *, as_json: bool) -> None:
    """Show a release's name, the number of its items, and how many need marks or depend on a model's estimates."""
    from benchwright.release import Release
    from benchwright.release.format.agreement import read_agreement
    from benchwright.release.format.estimates import decided_by

    release = Release.open(folder)
    counts, marked, estimated = release.manifest.counts, release.marked(), release.estimated()
    deciders = decided_by(release.manifest.stages, read_agreement(release.path))
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
        "estimated": {"items": sum(estimated.values()), "tasks": estimated, "decided_by": deciders},
        "sealed": list(release.manifest.sealed_splits),
    }

    def text() -> str:
        lines = [
            f"{release.name} {release.version}: {counted(counts.items, 'item')}",
            f"release id {release.release_id}",
        ]
        for split in release.splits:
            tasks = ", ".join(f"{task} {n}" for task, n in sorted(counts.splits[split].tasks.items()))
            sealed = "; its answers are sealed" if split in release.manifest.sealed_splits else ""
            lines.append(f"{split}: {counted(counts.splits[split].items, 'item')} ({tasks}){sealed}")
        if marked:
            tasks = ", ".join(f"{task} {n}" for task, n in marked.items())
            lines.append(
                f"of {counted(counts.items, 'item')}, {counted(sum(marked.values()), 'needs', 'need')} marks "
                f"({tasks}), "
                + (
                    "which are drawn in `images`; `unmarked` has the pictures without them"
                    if release.manifest.drawing_version
                    else "which are not in their pictures; `benchwright.release.drawn_pictures` draws them, and the "
                    "card shows how"
                )
            )
        if estimated:
            tasks = ", ".join(f"{task} {n}" for task, n in estimated.items())
            who = {"people": "people", "simulated": "only simulated annotators", None: "nobody"}[deciders]
            lines.append(
                f"of {counted(counts.items, 'item')}, {counted(sum(estimated.values()), 'depends', 'depend')} on a "
                f"model's estimates ({tasks}); {who} decided on them"
            )
        return "\n".join(lines)

    emit(document, as_json=as_json, text=text)


@click.command("freeze")
@click.option("--workspace", required=True, type=_FOLDER, help="Workspace with a complete run.")
@click.option("--name", required=True, help="Name of the benchmark.")
@click.option("--version", help="Version of the release, such as 1.0; without it, a draft.")
@click.option("--licence", help="License of the release as a whole, such as cc-by-4.0.")
@click.option("--description", default="", help="Markdown for the card.")
@click.option(
    "--errata",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="File of errata, as `review results` writes it: corrects wrong keys and leaves out other items found wrong.",
)
@click.option(
    "--split-value",
    metavar="NAME",
    help="Value that names each item's split, such as splits.split; needed only if several steps name splits.",
)
@click.option(
    "--accept-simulated",
    is_flag=True,
    help="Accept items with model estimates that only simulated annotators decided on; the card says so.",
)
@click.option(
    "--sealed",
    multiple=True,
    metavar="SPLIT",
    help="Split whose answers stay out of the release, in a key file under `keys`. May be repeated.",
)
@click.option(
    "--accept-known-seed",
    is_flag=True,
    help="Seal although the recipe's seed can be guessed; only if no answer follows from recipe and pictures.",
)
@click.option(
    "--keep-metadata",
    is_flag=True,
    help="Keep EXIF (including locations), XMP, IPTC and comments in released picture files; they are removed "
    "otherwise.",
)
@click.option(
    "--redistribute",
    type=click.Choice(["permitted", "url", "all"]),
    default="permitted",
    show_default=True,
    help="Treatment of pictures whose license forbids redistribution: stop with a list, release their address and "
    "hash, or release them because you have permission.",
)
@click.option(
    "--pictures",
    type=click.Choice(["by_content", "lossless"]),
    help="Format of pictures made by steps: JPEG of quality 95 if only their visible content counts, or all "
    "lossless.  [default: as when the workspace was begun]",
)
@click.option(
    "--statements",
    type=_FILE,
    metavar="FILE",
    help="YAML or JSON file of statements that only you can make: authors, url, languages, consent, pay, access_terms, "
    "access_fields, datasheet.",
)
@click.option(
    "--why",
    metavar="TEXT",
    help="Reason to freeze a version although a strategy without pictures far exceeds chance; printed on the card.",
)
@json_option(
    '`{"release", "name", "version", "release_id", "content_id", "items", "key", "blind_strategy": {"strategy", '
    '"accuracy", "ci", "chance", "items", "tried", "beats_chance"}, "expected_size": {"bytes", "texts", '
    '"kept": {"pictures", "bytes"}, "turned": {"pictures", "bytes"}, "made": {"pictures", "bytes"}, "drawn": '
    '{"pictures", "bytes"}}}`; `key` is null where no split '
    "is sealed, and `blind_strategy` where too few items have a right option"
)
def freeze(
    workspace: Path,
    *,
    name: str,
    version: str | None,
    licence: str | None,
    description: str,
    errata: Path | None,
    split_value: str | None,
    accept_simulated: bool,
    sealed: tuple[str, ...],
    accept_known_seed: bool,
    keep_metadata: bool,
    redistribute: Redistribute,
    pictures: PictureRule | None,
    statements: Path | None,
    why: str | None,
    as_json: bool,
) -> None:
    """Freeze the remaining items of a workspace into a release under its `releases` folder.

    For recipes without a step `freeze`; the run must be complete.
    """
    from benchwright.engines.local import processors
    from benchwright.release.format.blind_strategy import read_blind_strategy
    from benchwright.release.format.statements import read_statements
    from benchwright.release.sealing.sealing import key_path
    from benchwright.terminal.progress_bars import ProgressBars

    from .freezing.workspace import freeze_workspace

    sizes: list[ExpectedSize] = []

    def announce(size: ExpectedSize) -> None:
        sizes.append(size)
        note(f"the release takes {size.text()}")

    with ProgressBars() as bars:
        release = freeze_workspace(
            workspace,
            release=name,
            version=version,
            licence=licence,
            description=description,
            errata=errata,
            split_value=split_value,
            accept_simulated=accept_simulated,
            sealed=sealed,
            accept_known_seed=accept_known_seed,
            metadata="keep" if keep_metadata else "remove",
            redistribute=redistribute,
            pictures=pictures,
            statements=None if statements is None else read_statements(statements),
            why=why,
            workers=processors(),
            progress=bars,
            announce=announce,
        )
    key = key_path(workspace, release.name, release.version) if sealed else None
    document = {
        "release": str(release.path),
        "name": release.name,
        "version": release.version,
        "release_id": release.release_id,
        "content_id": release.content_id,
        "items": len(release),
        "key": None if key is None else str(key),
        "blind_strategy": None if (blind := read_blind_strategy(release)) is None else blind.document(),
        "expected_size": sizes[-1].document(),
    }
    kept = "" if key is None else f"\n{key}: the key; keep it secret, and store a copy elsewhere"
    emit(
        document,
        as_json=as_json,
        text=f"{release.path}: {counted(len(release), 'item')}, release id {release.release_id}{kept}",
    )


@click.command("correct")
@click.argument("folder", metavar="DIR", type=_FOLDER, help="Folder of a release.")
@click.option(
    "--errata",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    required=True,
    metavar="FILE",
    help="File of errata, as `review results` writes it.",
)
@click.option("--version", required=True, help="Version of the new release, such as 1.1.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="Folder of the new release.")
@click.option("--description", default="", help="Markdown for the card.")
@click.option(
    "--keep-metadata",
    is_flag=True,
    help="Keep the EXIF (including locations), XMP, IPTC and comments still present in the older release's picture "
    "files; they are removed otherwise.",
)
@json_option(
    """
    `{"release", "name", "version", "release_id", "content_id", "items", "errata": {outcome: n}}`; outcomes are
    `key_set`, `edited`, `left_out`, `changed_before` and `not_in_release`
    """
)
def correct(
    folder: Path, *, errata: Path, version: str, out: Path, description: str, keep_metadata: bool, as_json: bool
) -> None:
    """Write the next version of a release with errors corrected; needs no workspace.

    Corrects wrong keys and leaves out other items found wrong.
    """
    from benchwright.release import Release
    from benchwright.release.format.errata import read_errata, released_errata

    from .correct import correct_release

    wanted = read_errata(errata)
    release = correct_release(
        Release.open(folder),
        wanted,
        version=version,
        out=out,
        description=description,
        metadata="keep" if keep_metadata else "remove",
    )
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
    emit(document, as_json=as_json, text=f"{release.path}: {counted(len(release), 'item')}; errata: {summary}")


@click.command("drafts")
@click.argument("workspace", type=_FOLDER, help="Workspace to look at.")
@click.option(
    "--keep",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Number of newest drafts to keep of each benchmark.",
)
@click.option("--remove", is_flag=True, help="Remove the old drafts.")
@json_option(
    """
    `{"drafts": [{"path", "name", "version", "release_id", "items", "size_bytes", "kept"}], "removed", "size_bytes"}`;
    `kept` is `newest`, `has_results` or null; `removed` says whether the drafts with null are gone, and `size_bytes` is
    the size of those
    """
)
def drafts(workspace: Path, *, keep: int, remove: bool, as_json: bool) -> None:
    """List the drafts of a workspace, and remove old ones.

    Every run whose recipe freezes without a version leaves a draft, named by its content. The command keeps the newest
    of each benchmark and those with results in the workspace. It never touches releases with a version.
    """
    from .drafts import drafts as drafts_of
    from .drafts import remove_old

    listed = drafts_of(workspace, keep=keep)
    old = remove_old(workspace, keep=keep) if remove else [draft for draft in listed if draft.kept is None]
    size = sum(draft.size_bytes for draft in old)
    document = {
        "drafts": [{**draft._asdict(), "path": str(draft.path)} for draft in listed],
        "removed": remove,
        "size_bytes": size,
    }
    lines = [
        f"{draft.path}: {counted(draft.items, 'item')}, {draft.size_bytes / 1e6:.1f} MB, {draft.kept or 'old'}"
        for draft in listed
    ]
    verb = "removed" if remove else "old, which --remove removes:"
    emit(
        document, as_json=as_json, text="\n".join([*lines, f"{verb} {counted(len(old), 'draft')}, {size / 1e6:.1f} MB"])
    )
