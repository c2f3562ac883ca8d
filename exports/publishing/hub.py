"""Publishing to the Hugging Face Hub: one commit makes the repository match the release, and a tag names the version.

The client sends files first, each named by its SHA-256, and then the commit that refers to them. An interruption leaves
the repository unchanged, and the next attempt sends the files that the Hub still lacks. The tag is set last, on a
commit whose files, as listed by the Hub, equal those of the release.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from benchwright.errors import BenchwrightError, DataError, PrerequisiteError
from benchwright.machine.this_machine import PROXY_VARIABLES, is_this_machine
from benchwright.release.format.files import read_inside
from benchwright.release.format.manifest import CARD, FORMAT, MANIFEST

from .plan import FilePlan, FileState, Publication

if TYPE_CHECKING:
    from huggingface_hub import HfApi
    from huggingface_hub.hf_api import RepoFile

_INSTALL = "pip install 'benchwright[hub]'"
_OF_THE_HUB = ".gitattributes"
"""File that the Hub stores in every repository; it is not part of a release."""

_REPOSITORY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,95}/[A-Za-z0-9][A-Za-z0-9._-]{0,95}")
_MAX_MANIFEST_BYTES = 64 * 1024 * 1024
_DATASET = "dataset"


class _Repository(NamedTuple):
    """State on the Hub: the repository's privacy, its newest commit and files, and the files of the version's tag."""

    private: bool
    head: str
    files: Mapping[str, RepoFile]
    tagged: Mapping[str, RepoFile] | None


def repository_of(name: str) -> str:
    """Return the name of a repository after checking its form.

    Raises:
        BenchwrightError: The name does not have the form `ORG/NAME`.
    """
    if not _REPOSITORY.fullmatch(name) or ".." in name or "--" in name:
        raise BenchwrightError(f"{name!r} is not a Hub repository; give hub:ORG/NAME, such as hub:my-lab/my-bench")
    return name


def publish_to_hub(plan: Publication, repository: str, *, private: bool, dry_run: bool) -> Publication:
    """Make a dataset repository match a release, and tag it with the version.

    A dry run queries the state of the Hub, if it is reachable, and changes nothing there.

    Raises:
        BenchwrightError: The repository contains something else, the tag refers to different content, or the Hub
            refuses.
        PrerequisiteError: `huggingface_hub` or a token is missing.
    """
    try:
        from huggingface_hub import HfApi, get_token
    except ImportError as error:
        raise PrerequisiteError(f"publishing to the Hub needs huggingface_hub: {_INSTALL}") from error

    api, token = HfApi(library_name="benchwright"), get_token()
    _ask_this_machine_directly(api.endpoint)
    plan = _with_card_checked(plan)
    if dry_run:
        try:
            with _refusals(repository, token):
                plan = _with_hub_card_checked(plan)
                return _compared(plan, _fetched(api, repository, plan.tag), repository, private=private)
        except _Unreachable as error:
            return replace(plan, notes=(*plan.notes, f"not known what the Hub has already: {error}"))
    if plan.card_errors:
        raise DataError(f"{plan.release.path / CARD}: the Hub would refuse it: {'; '.join(plan.card_errors)}")
    if token is None:
        raise PrerequisiteError(
            "publishing to the Hub needs a token with write permission: set HF_TOKEN, or run `hf auth login`; "
            "https://huggingface.co/settings/tokens creates one"
        )
    with _refusals(repository, token):
        api.whoami()
        if (state := _fetched(api, repository, plan.tag)) is None:
            api.create_repo(repository, repo_type=_DATASET, private=private)
            state = _fetched(api, repository, plan.tag)
        if state is None:
            raise BenchwrightError(f"{repository}: the Hub created the repository but does not show it; try later")
        plan = _compared(plan, state, repository, private=private)
        if not plan.published:
            _commit_and_tag(api, repository, plan, state)
    url = f"{api.endpoint}/datasets/{repository}/tree/{plan.tag}"
    return replace(plan, url=url, published=True)


def _ask_this_machine_directly(endpoint: str) -> None:
    """Make the Hub's process-wide client bypass the environment's proxies if the Hub runs on this machine.

    The client is created while the proxy variables are unset, since its own proxy settings are not public.
    """
    if not is_this_machine(urlsplit(endpoint).hostname or ""):
        return
    from huggingface_hub import close_session, get_session

    names = [name for name in os.environ if name.lower() in PROXY_VARIABLES]
    kept = {name: os.environ.pop(name) for name in names}
    try:
        close_session()
        get_session()
    finally:
        os.environ.update(kept)


def _commit_and_tag(api: HfApi, repository: str, plan: Publication, state: _Repository) -> None:
    from huggingface_hub import CommitOperationAdd, CommitOperationDelete

    commit = state.head
    if plan.to_send or plan.removed:
        additions = [CommitOperationAdd(file.path, str(plan.release.path / file.path)) for file in plan.to_send]
        deletions = [CommitOperationDelete(path) for path in plan.removed]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the Hub's words on the card, which a dry run shows
            commit = api.create_commit(
                repository,
                [*additions, *deletions],
                commit_message=plan.message,
                commit_description=plan.description,
                repo_type=_DATASET,
                parent_commit=state.head,
            ).oid
    files = _files(api, repository, commit)
    if wrong := _differing(plan, files):
        raise DataError(
            f"{repository}: after the commit {commit}, these files differ on the Hub: {', '.join(wrong)}; "
            "no tag was set. Verify the release, then publish again"
        )
    api.create_tag(
        repository, tag=plan.tag, tag_message=plan.description, revision=commit, repo_type=_DATASET, exist_ok=False
    )


def _fetched(api: HfApi, repository: str, tag: str) -> _Repository | None:
    """Return the state of a repository on the Hub, or None if it does not exist."""
    from huggingface_hub import get_token
    from huggingface_hub.errors import HfHubHTTPError

    try:
        info = api.repo_info(repository, repo_type=_DATASET)
    except HfHubHTTPError as error:
        if error.response.status_code == 404:
            return None
        if error.response.status_code == 401 and get_token() is None:
            raise _Unreachable(f"without a token, the Hub does not reveal whether {repository} exists") from None
        raise
    tags = {ref.name: ref.target_commit for ref in api.list_repo_refs(repository, repo_type=_DATASET).tags}
    head = str(info.sha)
    files = _files(api, repository, head)
    tagged = _files(api, repository, tags[tag]) if tag in tags else None
    state = _Repository(bool(info.private), head, files, tagged)
    _check_same_benchmark(api, repository, state)
    return state


def _files(api: HfApi, repository: str, revision: str) -> dict[str, RepoFile]:
    from huggingface_hub.hf_api import RepoFile

    entries = api.list_repo_tree(repository, recursive=True, revision=revision, repo_type=_DATASET)
    return {entry.path: entry for entry in entries if isinstance(entry, RepoFile) and entry.path != _OF_THE_HUB}


def _compared(plan: Publication, state: _Repository | None, repository: str, *, private: bool) -> Publication:
    """Return the plan with the state of each file on the Hub.

    Raises:
        BenchwrightError: The tag refers to different content, or the repository is public but should be private.
    """
    if state is None:
        return plan.with_states({file.path: "new" for file in plan.files})
    if private and not state.private:
        raise BenchwrightError(f"{repository} is already public; make it private on the Hub, or publish elsewhere")
    if state.tagged is not None:
        if wrong := _differing(plan, state.tagged):
            raise BenchwrightError(
                f"{repository} already has a version {plan.tag} with different content ({', '.join(wrong[:3])}), and "
                "tags that others may cite are never moved; freeze with a higher version"
            )
        return replace(plan.with_states({file.path: "there" for file in plan.files}), published=True)
    states = {file.path: _state(plan, file, state.files.get(file.path)) for file in plan.files}
    return replace(plan.with_states(states), removed=_surplus(plan, state.files))


def _check_same_benchmark(api: HfApi, repository: str, state: _Repository) -> None:
    """Refuse a repository with any content besides versions of this benchmark; a card alone is not content.

    Raises:
        BenchwrightError: The repository contains something else.
    """
    if set(state.files) <= {CARD}:
        return
    problem = f"it contains {', '.join(sorted(state.files)[:3])} but no {MANIFEST} of a release"
    if MANIFEST in state.files and state.files[MANIFEST].size <= _MAX_MANIFEST_BYTES:
        with tempfile.TemporaryDirectory() as folder:
            path = api.hf_hub_download(repository, MANIFEST, repo_type=_DATASET, revision=state.head, local_dir=folder)
            try:
                document = json.loads(Path(path).read_bytes())
            except ValueError:
                document = None
        if isinstance(document, dict) and document.get("format") == FORMAT:
            return
    raise BenchwrightError(
        f"{repository} is already in use: {problem}, and publishing would remove its content; give the name of a "
        "repository that does not exist"
    )


def _differing(plan: Publication, files: Mapping[str, RepoFile]) -> list[str]:
    """Return the paths of files that differ on the Hub, are missing there, or exist only there."""
    wrong = [file.path for file in plan.files if _state(plan, file, files.get(file.path)) != "there"]
    return sorted([*wrong, *_surplus(plan, files)])


def _surplus(plan: Publication, files: Mapping[str, RepoFile]) -> tuple[str, ...]:
    return tuple(sorted(files.keys() - {file.path for file in plan.files}))


def _state(plan: Publication, file: FilePlan, there: RepoFile | None) -> FileState:
    if there is None:
        return "new"
    if there.size != file.size_bytes:
        return "changed"
    if there.lfs is not None:
        return "there" if there.lfs.sha256 == file.sha256 else "changed"
    data = read_inside(plan.release.path, file.path, max_bytes=file.size_bytes)
    return "there" if there.blob_id == _git_digest(data) and _sha256(data) == file.sha256 else "changed"


def _git_digest(data: bytes) -> str:
    """Return the digest by which git identifies a file's content; no security depends on it."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _card(plan: Publication) -> str:
    return (plan.release.path / CARD).read_text(encoding="utf-8")


def _with_card_checked(plan: Publication) -> Publication:
    """Return the plan with the errors reported by the client's own card reader, without contacting the Hub."""
    from huggingface_hub import DatasetCard

    try:
        DatasetCard(_card(plan))
    except (ValueError, TypeError) as error:
        return replace(plan, card_errors=(*plan.card_errors, " ".join(str(error).split())))
    return plan


def _with_hub_card_checked(plan: Publication) -> Publication:
    """Return the plan with the errors reported by the Hub's card validation."""
    from huggingface_hub import DatasetCard

    if plan.card_errors:
        return plan
    try:
        DatasetCard(_card(plan)).validate()
    except ValueError as error:
        return replace(plan, card_errors=(*plan.card_errors, " ".join(str(error).split())))
    return plan


class _Unreachable(BenchwrightError):
    """The Hub cannot be reached, or must not be contacted."""


@contextmanager
def _refusals(repository: str, token: str | None) -> Iterator[None]:
    """Convert refusals by the Hub or its client into readable errors that do not contain the token."""
    import httpx2
    from huggingface_hub.errors import HfHubHTTPError, OfflineModeIsEnabled

    try:
        yield
    except BenchwrightError:
        raise
    except (httpx2.TransportError, OfflineModeIsEnabled, ConnectionError) as error:
        raise _Unreachable(_without(token, f"the Hub cannot be reached: {type(error).__name__}: {error}")) from None
    except HfHubHTTPError as error:
        status = error.response.status_code
        why = _WHY.get(status, "the Hub refused")
        raise BenchwrightError(_without(token, f"{repository}: {why} ({error})")) from None
    except (RuntimeError, ValueError, OSError) as error:
        cause = f" ({error.__cause__})" if error.__cause__ else ""
        message = f"{repository}: nothing was published: {error}{cause}; publishing again sends only what is missing"
        raise BenchwrightError(_without(token, message)) from None


_WHY = {
    401: "the token is no longer valid, or has no access; create a new one and set HF_TOKEN or run `hf auth login`",
    403: "the token has no write access; it needs the role `write` for this account or organization",
    404: "the Hub does not have it",
    409: "the name is taken",
    412: "another commit came in between; publish again",
}


def _without(token: str | None, text: str) -> str:
    """Return a text on one line, with the token removed."""
    line = " ".join(text.split())
    return line.replace(token, "***") if token else line
