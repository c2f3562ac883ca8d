"""What a user can put right, as exceptions.

    BenchwrightError            exit code 2: wrong use, wrong input
    ├── CheckFailed             exit code 1: the thing that was checked does not hold
    ├── DataError               a file or table that we read is not what it should be
    │   ├── DamagedError        a file of ours does not hold what was written to it, or is gone
    │   └── UnreadableImage     one image, with a reason code; a run records it and goes on
    ├── PrerequisiteError       a package, model, server or key is missing; says how to get it
    ├── RequestFailed           one request to a model failed, with a reason code; a step records it and goes on
    ├── RecipeError             a recipe is wrong; says file, line, key, value and the nearest valid key
    ├── StepError               a step cannot run as it is configured
    └── StorageError            a disk is full, read-only or fails; says which path, and what to do

The command line prints these as one line without a traceback. Every other exception is a defect of
ours: it keeps its traceback and exits with 3.
"""

from __future__ import annotations

from pathlib import Path


class BenchwrightError(Exception):
    """Something a user can put right; the message says what was found, where, and what to do.

    Attributes:
        mistakes: One line each, where the message lists several of one file.
    """

    exit_code = 2
    mistakes: tuple[str, ...] = ()


class CheckFailed(BenchwrightError):
    """The thing that was checked does not hold, such as a release with a changed file."""

    exit_code = 1


class DataError(BenchwrightError):
    """A file or table is not what it should be."""


class DamagedError(DataError):
    """A file that we wrote does not hold what was written to it any more, or is gone.

    Attributes:
        path: The file.
        what: What is wrong with it, to be read after its name.
    """

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what}; `benchwright check WORKSPACE --repair` makes again what can be made again")
        self.path = path
        self.what = what

    def __reduce__(self) -> tuple[type[DamagedError], tuple[Path, str]]:
        return type(self), (self.path, self.what)


class UnreadableImage(DataError):
    """An image that is refused.

    Attributes:
        reason: Stable code, such as ``truncated`` or ``too_many_pixels``.
        detail: One line for people.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[UnreadableImage], tuple[str, str]]:
        return type(self), (self.reason, self.detail)


class PrerequisiteError(BenchwrightError):
    """Something that is not part of Benchwright is missing."""


class RequestFailed(BenchwrightError):
    """One request to a model that failed for good, while others may succeed.

    Attributes:
        reason: Stable code, such as ``timeout``.
        detail: One line for people.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[RequestFailed], tuple[str, str]]:
        return type(self), (self.reason, self.detail)


class RecipeError(BenchwrightError):
    """A recipe is wrong."""


class StepError(BenchwrightError):
    """A step cannot run as it is configured, or died while it was opened."""


class StorageError(BenchwrightError):
    """A disk is full, read-only or fails, or a path cannot be used (`benchwright.storage_faults`)."""
