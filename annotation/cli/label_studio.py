"""``benchwright review label-studio push`` and ``pull``: a campaign in Label Studio, and back."""

from __future__ import annotations

import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from benchwright.errors import BenchwrightError
from benchwright.terminal.output import emit, json_option
from benchwright.texts.normalization import counted, printable

from .selection import campaign_option, open_for_commands, pick_campaign, workspace_of, workspace_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ..label_studio.deletions import Deleted
    from ..label_studio.pushing import Pushed
    from ..label_studio.server import Server

_FOLDER = click.Path(path_type=Path, file_okay=False)
_url_option = click.option(
    "--url", required=True, metavar="URL", help="Address of the server, such as http://127.0.0.1:8080."
)


@click.command("push")
@_url_option
@workspace_option
@campaign_option
@click.option(
    "--local-root",
    type=_FOLDER,
    metavar="DIR",
    help="The server's document root for local files, if it is on this machine: pictures are written below it "
    "instead of being uploaded.",
)
@click.option(
    "--pictures",
    type=_FOLDER,
    metavar="DIR",
    help="Folder to write pictures to, which you publish yourself, with --pictures-url.",
)
@click.option("--pictures-url", metavar="URL", help="Public address of that folder, such as a bucket's.")
@click.option("--gold", is_flag=True, help="Also send the gold items, to check the annotators.")
@json_option(
    """
    `{"campaign", "url", "project", "instead_of", "added", "there", "removed", "outdated", "not_sent": [{"item_id",
    "reason"}], "votes"}`, in tasks; `instead_of` is the project that was deleted there and is made anew, or null;
    `votes` is null, or for a `review` the same fields, from `project` on, of its second project
    """
)
def push(
    url: str,
    workspace: Path | None,
    campaign: str | None,
    local_root: Path | None,
    pictures: Path | None,
    pictures_url: str | None,
    gold: bool,
    as_json: bool,
) -> int:
    """Make a Label Studio project from a campaign of any kind, or bring it up to date; safe to repeat.

    A campaign `review` gets two projects. Needs the extra `labelstudio` and an access token in the environment variable
    BENCHWRIGHT_LABEL_STUDIO_TOKEN. Pictures are uploaded, with their marks drawn in, unless an option sets otherwise. A
    project deleted there is made again, with the open tasks. Exit code 1 if an item could not be sent.
    """
    from ..label_studio.blind_reviews import push_votes
    from ..label_studio.image_hosting import CloudUrl, ImageHosting, LocalFiles, UploadedImages
    from ..label_studio.projects import Projects
    from ..label_studio.pushing import push as push_campaign
    from ..store.database.audit import COMMAND_LINE

    if (pictures is None) != (pictures_url is None):
        raise BenchwrightError("--pictures and --pictures-url need each other; give both or neither")
    if pictures is not None and local_root is not None:
        raise BenchwrightError("give either --local-root or --pictures, not both")
    root, server = workspace_of(workspace), _server(url)
    with open_for_commands(root) as store:
        chosen = store.campaign(pick_campaign(store, campaign))
        projects = Projects(root)
        hosting: ImageHosting = UploadedImages.of(server, projects, chosen.name)
        if local_root is not None:
            hosting = LocalFiles(server, local_root, f"benchwright-{root.resolve().name}")
        elif pictures is not None and pictures_url is not None:
            hosting = CloudUrl(pictures, pictures_url)
        done = [push_campaign(store, chosen, server, root=root, projects=projects, hosting=hosting, gold=gold)]
        if chosen.form.blind_first:
            done.append(push_votes(store, chosen, server, root=root, projects=projects, hosting=hosting))
        for pushed in done:
            about = {"campaign": chosen.name, "url": server.url, "project": pushed.project, "added": pushed.added}
            store.record("pushed", actor=COMMAND_LINE, now=datetime.now(UTC), **about)
    document = {"campaign": chosen.name, "url": server.url, **done[0].to_json()}
    document["votes"] = done[1].to_json() if done[1:] else None
    emit(document, as_json=as_json, text="\n".join(line for pushed in done for line in _lines_of(pushed, server.url)))
    return 1 if any(pushed.unshown for pushed in done) else 0


def _lines_of(pushed: Pushed, url: str) -> list[str]:
    again = (
        f"project {pushed.instead_of} is deleted there: project {pushed.project} takes its place, with the open "
        "tasks; pulled decisions still count"
    )
    return [
        *([] if pushed.instead_of is None else [again]),
        f"project {pushed.project} of {url}: {counted(pushed.added, 'task')} added, {pushed.unchanged} already there, "
        f"{pushed.removed} removed, {pushed.outdated} outdated ones left because they are labeled",
        *(f"not sent: item {item_id}: {printable(why)}" for item_id, why in pushed.unshown),
    ]


@click.command("pull")
@_url_option
@workspace_option
@campaign_option
@click.option(
    "--annotator",
    "renamed",
    multiple=True,
    metavar="E-MAIL=NAME",
    help="Name of a Label Studio user in this store; may be repeated.  [default: the e-mail address]",
)
@click.option(
    "--keep-deleted",
    is_flag=True,
    help="Keep decisions whose annotations were deleted there, including those that earlier pulls withdrew.",
)
@json_option(
    """
    `{"campaign", "url", "project", "new", "changed", "unchanged", "skipped", "returned", "quarantined":
    [{"annotation", "task", "item_id", "author", "reason"}], "deleted": [{"annotation", "task", "item_id", "author",
    "what", "withdrawn"}], "kept": {"votes", "replaced"}, "paused": [{"annotator",
    "why"}], "gone": [project], "tasks": {state: n}}`; `returned` were
    deleted there and are there again; `what` was deleted is `annotation`, the whole `task` or the whole `project`;
    `withdrawn` says whether the vote no longer counts; `kept` are votes that --keep-deleted counts again, and those
    in whose place others have decided; `gone` are projects of the campaign that are deleted there
    """
)
def pull(
    url: str,
    workspace: Path | None,
    campaign: str | None,
    renamed: tuple[str, ...],
    keep_deleted: bool,
    as_json: bool,
) -> int:
    """Bring a project's annotations into the review store; safe to repeat.

    For a `review` it imports those of both projects, for a `collect` also the photographs. An annotation changed on the
    server since becomes a new version. Each is checked against the form. The command lists and does not import an
    annotation that does not fit, has no slot left, belongs to a changed item, or was written under another person's
    name (exit code 1).
    Annotations pulled earlier and deleted there since are listed, too (exit code 1), with author and item. Their votes
    are withdrawn and their items reopen; a vote counts again once its author labels the item anew. Texts by annotators,
    answers before the key, and everything in a project deleted as a whole still count.
    """
    from ..label_studio.deletions import find_deleted
    from ..label_studio.fetching import fetch
    from ..label_studio.projects import Projects
    from ..label_studio.task_data import key_of
    from ..store.database.audit import COMMAND_LINE
    from ..workflow.set_asides import bring_deleted_back

    root, server = workspace_of(workspace), _server(url)
    with open_for_commands(root) as store:
        chosen = store.campaign(pick_campaign(store, campaign))
        projects = Projects(root)
        project = projects.of(chosen.name, server.url)
        if project is None:
            raise BenchwrightError(
                f"campaign {chosen.name!r} was never pushed; run `benchwright review label-studio push` first"
            )
        names = _names_by_user(server.users(), renamed)
        own = [number for number in (project, projects.votes_of(chosen.name)) if number is not None]
        gone = [number for number in own if not server.has_project(number)]
        pulled = fetch(
            store,
            chosen,
            server,
            root=root,
            project=project,
            projects=projects,
            names=names,
            now=datetime.now(UTC),
            gone=gone,
        )
        deleted = find_deleted(
            store,
            projects,
            chosen,
            pulled,
            current={key_of(task): task.id for task in store.tasks(chosen.name, states=("open", "done"))},
            tasks_there=lambda: {task.id for number in own if number not in gone for task in server.tasks(number)},
            now=datetime.now(UTC),
            gone=gone,
            keeps=keep_deleted,
        )
        kept = bring_deleted_back(store, chosen, by=COMMAND_LINE, now=datetime.now(UTC)) if keep_deleted else (0, 0)
        status = store.status(chosen.name, now=datetime.now(UTC))
        about = {"campaign": chosen.name, "url": server.url, "new": pulled.new, "changed": pulled.changed}
        if deleted:
            about["deleted"] = len(deleted)
        if gone:
            about["gone"] = gone
        store.record("pulled", actor=COMMAND_LINE, now=datetime.now(UTC), **about)
    back = f", {pulled.returned} deleted there before and there again" if pulled.returned else ""
    lines = [
        f"{pulled.new} annotations imported into campaign {chosen.name!r}, {pulled.changed} changed, "
        f"{pulled.unchanged} already there, {pulled.skipped} skipped there, {len(pulled.quarantined)} not "
        f"imported{back}; {status.tasks['done']} of {counted(status.tasks['done'] + status.tasks['open'], 'task')} "
        "done",
        *(
            f"not imported: annotation {refused.annotation} of task {refused.task}: {printable(refused.reason)}"
            for refused in pulled.quarantined
        ),
        *(
            f"project {number} of campaign {chosen.name!r} is deleted on {server.url}: labels that were never pulled "
            "are lost, pulled ones are in the review store; `benchwright review label-studio push` makes a new "
            "project with the open tasks"
            for number in gone
        ),
        *(
            f"paused by the campaign's bounds: {printable(who)}: {why}; `benchwright review take-back` undoes it"
            for who, why in pulled.paused
        ),
        *_lines_of_deleted(deleted, is_kept=keep_deleted),
        *([f"{counted(kept[0], 'withdrawn vote counts', 'withdrawn votes count')} again"] if kept[0] else []),
        *([f"{kept[1]} stay withdrawn, because others have decided in their place or are doing so"] if kept[1] else []),
    ]
    document = {"campaign": chosen.name, "url": server.url, "project": project, **pulled.to_json()}
    document["returned"] = pulled.returned
    document["paused"] = [{"annotator": who, "why": why} for who, why in pulled.paused]
    document |= {"deleted": [each._asdict() for each in deleted], "gone": gone}
    document["kept"] = {"votes": kept[0], "replaced": kept[1]}
    emit(document | {"tasks": dict(status.tasks)}, as_json=as_json, text="\n".join(lines))
    return 1 if pulled.quarantined or ((deleted or gone) and not keep_deleted) else 0


def _lines_of_deleted(deleted: Sequence[Deleted], *, is_kept: bool) -> list[str]:
    withdrawn = [each for each in deleted if each.withdrawn]
    counting = [each for each in deleted if not each.withdrawn]
    lines = []
    if withdrawn:
        lines.append(
            "deleted there after the pull, so these votes no longer count and the items are asked again "
            f"({_kinds_of(withdrawn)}): `benchwright review label-studio push` puts deleted tasks there again; "
            "--keep-deleted counts these votes again"
        )
    if counting:
        to_do = (
            "kept, and not reported again"
            if is_kept
            else "ask the items again on their pages, so that these decisions no longer count, or keep the decisions "
            "with --keep-deleted"
        )
        lines.append(f"deleted there after the pull, and still counted here ({_kinds_of(counting)}): {to_do}")
    return [
        *lines,
        *(
            f"deleted there: annotation {each.annotation} of task {each.task}, by {printable(each.author)}, of item "
            f"{each.item_id or 'none'}{', withdrawn' if each.withdrawn else ''}"
            for each in deleted
        ),
    ]


def _kinds_of(deleted: Sequence[Deleted]) -> str:
    whole = Counter(each.what for each in deleted)
    return (
        f"annotations: {len(deleted)}, with their whole task: {whole['task']}, with their whole project: "
        f"{whole['project']}"
    )


def _server(url: str) -> Server:
    from ..label_studio.server import TOKEN_VARIABLE, Server

    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise BenchwrightError(f"set {TOKEN_VARIABLE} to an access token of your account on {url}")
    return Server(url, token)


def _names_by_user(users: dict[int, str], renamed: tuple[str, ...]) -> dict[int, str]:
    names: dict[str, str] = {}
    for text in renamed:
        email, equals, name = text.partition("=")
        if not equals or not name.strip():
            raise BenchwrightError(f"--annotator {text!r}: expected E-MAIL=NAME")
        names[email.strip().casefold()] = name.strip()
    if unknown := sorted(names.keys() - {email.casefold() for email in users.values()}):
        raise BenchwrightError(f"--annotator: the server has no user {unknown[0]!r}")
    return {user: names.get(email.casefold(), email) for user, email in users.items()}
