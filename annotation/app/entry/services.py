"""The parameters that Prolific and Mechanical Turk add to an entry's address, and the return of finished submissions.

Prolific fills the placeholders `PROLIFIC_PID`, `STUDY_ID` and `SESSION_ID` of the study's address. Workers return to
Prolific at an address with the completion code (https://docs.prolific.com/api-reference/studies/the-study-object).
Mechanical Turk shows an `ExternalQuestion` in a frame with `workerId`, `hitId`, `assignmentId` and `turkSubmitTo`.
Until the worker accepts the HIT, `workerId` is absent and the assignment is `ASSIGNMENT_ID_NOT_AVAILABLE`. A form
posted to `/mturk/externalSubmit` of that host, with the assignment and at least one other field, submits it
(https://docs.aws.amazon.com/AWSMechTurk/latest/AWSMturkAPI/ApiReference_ExternalQuestionArticle.html).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlencode

from ...store.integrations.crowd import CrowdEntry, EntryRefused, Service

PROLIFIC_BACK = "https://app.prolific.com/submissions/complete"
MTURK_HOSTS = ("https://www.mturk.com", "https://workersandbox.mturk.com")
"""Hosts that accept assignments; the request's `turkSubmitTo` is not trusted."""
MTURK_FRAMES = "https://*.mturk.com https://workersandbox.mturk.com"
"""Sites that may show the entry page in a frame, in the notation of a content policy."""
_SUBMIT = "/mturk/externalSubmit"
_PREVIEW = "ASSIGNMENT_ID_NOT_AVAILABLE"
_NAMES: Mapping[Service, tuple[str, str, str]] = {
    "prolific": ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
    "mturk": ("workerId", "hitId", "assignmentId"),
}
_SUBMIT_TO = "turkSubmitTo"
OPENED = "opened"
"""Parameter of the address that opens the entry page in a separate window, outside Mechanical Turk's frame."""


class Arrival(NamedTuple):
    """The data about a worker in the address with which the worker enters.

    Args:
        worker: Id of the worker.
        study: Study or HIT.
        session: Submission or assignment.
        submit_to: Host to which the assignment is submitted; None for Prolific.
        is_preview: Whether the worker only previews the HIT and has not accepted it.
        is_framed: Whether the page is in Mechanical Turk's frame, where no session can begin.
    """

    worker: str
    study: str
    session: str
    submit_to: str | None
    is_preview: bool
    is_framed: bool

    def to_query(self, service: Service, **more: str) -> str:
        """Return a query string with the same data."""
        values = dict(zip(_NAMES[service], (self.worker, self.study, self.session), strict=True))
        return urlencode({**values, **({_SUBMIT_TO: self.submit_to} if self.submit_to else {}), **more})


def arrival_of(service: Service, values: Mapping[str, str]) -> Arrival:
    """Return the data in an address.

    Raises:
        EntryRefused: An id is missing, or the host does not belong to Mechanical Turk (`crowd_bad_link`).
    """
    worker, study, session = (values.get(name, "") for name in _NAMES[service])
    if service == "prolific":
        if not (worker and study and session):
            raise EntryRefused("crowd_bad_link")
        return Arrival(worker, study, session, None, is_preview=False, is_framed=False)
    is_preview = session in {"", _PREVIEW}
    submit_to = values.get(_SUBMIT_TO, "").rstrip("/")
    if not is_preview and (not (worker and study) or submit_to not in MTURK_HOSTS):
        raise EntryRefused("crowd_bad_link")
    is_framed = OPENED not in values
    return Arrival(worker, study, session, submit_to or None, is_preview=is_preview, is_framed=is_framed)


def prolific_back(code: str) -> str:
    """Return the address that takes a worker back to Prolific."""
    return f"{PROLIFIC_BACK}?{urlencode({'cc': code})}"


def mturk_submit(submit_to: str) -> str:
    """Return the address to which a form submits an assignment."""
    assert submit_to in MTURK_HOSTS
    return submit_to + _SUBMIT


def entry_link(entry: CrowdEntry, base_url: str) -> str:
    """Return the address to give to the service, with placeholders for Prolific; MTurk appends its own parameters."""
    path = f"{base_url}/enter/{entry.key}"
    if entry.service == "mturk":
        return path
    return f"{path}?" + "&".join(f"{name}={{{{%{name}%}}}}" for name in _NAMES["prolific"])
