"""An unexpected exception, with the details that help find its cause: class, message, file and line."""

from __future__ import annotations

import traceback
from pathlib import PurePath
from typing import NamedTuple

_CALLERS = frozenset(
    {
        "benchwright.workspace.stages",
        "benchwright.steps",
        "benchwright.record_map",
        "benchwright.audit.check",
        "benchwright.audit.auditing",
    }
)
_CALLING = ("benchwright.pipeline.", "benchwright.engines.")
"""Name prefixes of modules that call steps and checks; frames after theirs belong to the step or check."""


class RaisedError(NamedTuple):
    """An exception.

    Args:
        kind: Name of the exception's class.
        message: Its message, which may contain paths and differ from run to run.
        at: File and line of the module, such as `benchwright/filters/quality/step.py:93`; the same on every machine.
    """

    kind: str
    message: str
    at: str

    @classmethod
    def of(cls, error: BaseException) -> RaisedError:
        """Return the details of a raised exception.

        The location is the last line in the package of the step or check before the call into a library.
        """
        frames = [
            (str(frame.f_globals.get("__name__", "")), PurePath(frame.f_code.co_filename).name, line)
            for frame, line in traceback.walk_tb(error.__traceback__)
        ]
        if not frames:
            return cls(type(error).__name__, str(error), "")
        calls = [
            place for place, (module, _, _) in enumerate(frames) if module in _CALLERS or module.startswith(_CALLING)
        ]
        own = frames[calls[-1] + 1 :] if calls else frames
        own = own or frames[-1:]
        package = own[0][0].partition(".")[0]
        module, file, line = [frame for frame in own if frame[0].partition(".")[0] == package][-1]
        return cls(type(error).__name__, str(error), f"{'/'.join([*module.split('.')[:-1], file])}:{line}")

    def __str__(self) -> str:
        """Return a one-line description of the exception."""
        message = " ".join(self.message.split())[:500]
        return f"{self.kind}: {message} ({self.at})" if message else f"{self.kind} ({self.at})"
