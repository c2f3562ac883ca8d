"""Exceptions for problems that a user can fix.

    BenchwrightError            exit code 2: wrong use, wrong input
    ├── CheckFailed             exit code 1: a check failed
    ├── DataError               a file or table does not have the expected content
    │   ├── DamagedError        a file that Benchwright wrote has changed since, or is missing
    │   └── UnreadableImage     one image, with a reason code; a run records it and goes on
    ├── PrerequisiteError       a package, model, server or key is missing; says how to get it
    ├── RequestFailed           one request to a model failed, with a reason code; a step records it and goes on
    ├── RecipeError             a recipe is wrong; says file, line, key, value and the nearest valid key
    ├── StepError               a step cannot run as it is configured
    └── StorageError            a disk is full, read-only or fails; says which path, and what to do

The command line prints these as one line without a traceback. Every other exception is a defect of
Benchwright: it keeps its traceback and exits with 3.
"""

from __future__ import annotations

from pathlib import Path


class BenchwrightError(Exception):
    """A problem that a user can fix; the message says what was found, where, and what to do.

    Attributes:
        mistakes: One line for each mistake, where the message lists several in one file.
    """

    exit_code = 2
    mistakes: tuple[str, ...] = ()


class CheckFailed(BenchwrightError):
    """A check failed, for example because a file of a release was changed."""

    exit_code = 1


class DataError(BenchwrightError):
    """A file or table does not have the expected content."""


class DamagedError(DataError):
    """A file that Benchwright wrote has changed since, or is missing.

    Attributes:
        path: Path of the file.
        what: Description of the damage, as a phrase that follows the file's name.
    """

    def __init__(self, path: Path, what: str) -> None:
        super().__init__(f"{path} {what}; `benchwright check WORKSPACE --repair` makes again what can be made again")
        self.path = path
        self.what = what

    def __reduce__(self) -> tuple[type[DamagedError], tuple[Path, str]]:
        return type(self), (self.path, self.what)


UNSUPPORTED_FORMAT = "unsupported_format"
"""Reason of `UnreadableImage` for an image that this installation cannot read; its detail says what to do."""


class UnreadableImage(DataError):
    """An image was refused.

    Attributes:
        reason: Stable code, such as ``truncated`` or ``too_many_pixels``.
        detail: One line for people.

    Reasons:
        not_a_file (failed): A FIFO, socket, device, or a link that leads nowhere.
        outside_folder (failed): A link whose target lies outside the image folder.
        unreadable (failed): The system refuses, or the file changed while it was read; tried again by the next run.
        empty (failed): The file has no bytes.
        too_large (failed): The file has more bytes than `limits.max_bytes`.
        not_an_image (failed): Contents of no accepted format (AVIF, BMP, GIF, JPEG, JPEG 2000, PNG, TIFF, WebP).
        unsupported_format (failed): An image that this installation cannot read, such as HEIC without pi-heif.
        vector (failed): SVG, whatever its name.
        mislabelled (failed): The name ends like one image format, the contents are another.
        too_many_pixels (failed): More than `limits.max_pixels`, as the file states before it is decoded.
        too_many_frames (failed): More than `limits.max_frames`, as the file states before it is decoded.
        truncated (failed): The file ends before the image does.
        corrupt (failed): The contents cannot be read.
        unsupported_mode (failed): A sound file whose kind of pixels cannot be shown as RGB.
    """

    def __init__(self, reason: str, detail: str) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail

    def __reduce__(self) -> tuple[type[UnreadableImage], tuple[str, str]]:
        return type(self), (self.reason, self.detail)


class PrerequisiteError(BenchwrightError):
    """A package, model, server or key that is not part of Benchwright is missing."""


class RequestFailed(BenchwrightError):
    """One request to a model failed permanently, while others may succeed.

    Attributes:
        reason: Stable code, such as ``timeout``.
        detail: One line for people.
        sent: Number of times that the request was sent.
        status: HTTP status, where the endpoint answered with one.
    """

    def __init__(self, reason: str, detail: str, sent: int = 1, status: int | None = None) -> None:
        super().__init__(f"{reason}: {detail}")
        self.reason = reason
        self.detail = detail
        self.sent = sent
        self.status = status

    def __reduce__(self) -> tuple[type[RequestFailed], tuple[str, str, int, int | None]]:
        return type(self), (self.reason, self.detail, self.sent, self.status)


class RecipeError(BenchwrightError):
    """A recipe is wrong."""


class StepError(BenchwrightError):
    """A step cannot run as it is configured, or its worker died while the step was opened."""


class StorageError(BenchwrightError):
    """A disk is full, read-only or fails, or a path cannot be used (`benchwright.machine.storage_faults`)."""
