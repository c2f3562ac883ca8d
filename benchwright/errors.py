"""Exceptions for problems that a user can fix.

    BenchwrightError            exit code 2: wrong use, wrong input
    ├── CheckFailed             exit code 1: a check failed
    ├── DataError               a file or table does not have the expected content
    │   ├── DamagedError        a file that Benchwright wrote has changed since, or is missing
    │   └── UnreadableImage     one image, with a reason code; a run records it and continues
    ├── PrerequisiteError       a package, model, server or key is missing; names how to get it
    ├── RequestFailed           one request to a model failed, with a reason code; a step records it and continues
    ├── RecipeError             a recipe is invalid; names file, line, key, value and the nearest valid key
    ├── StepError               a step cannot run as configured
    └── StorageError            a disk is full, read-only or fails; names the path and the remedy

The command line prints these as one line without a traceback. Every other exception is a defect of
Benchwright: it keeps its traceback and exits with 3.
"""

from __future__ import annotations

from pathlib import Path


class BenchwrightError(Exception):
    """A problem that a user can fix; the message states the problem, its location and the remedy.

    Attributes:
        mistakes: One line for each mistake, if the message lists several in one file.
    """

    exit_code = 2
    mistakes: tuple[str, ...] = ()


class CheckFailed(BenchwrightError):
    """A check failed, for example because a file of a release has changed."""

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
        super().__init__(f"{path} {what}; `benchwright check WORKSPACE --repair` repairs what it can")
        self.path = path
        self.what = what

    def __reduce__(self) -> tuple[type[DamagedError], tuple[Path, str]]:
        return type(self), (self.path, self.what)


UNSUPPORTED_FORMAT = "unsupported_format"
"""Reason of `UnreadableImage` for an image that this installation cannot read; its detail names the remedy."""


class UnreadableImage(DataError):
    """An image cannot be used.

    Attributes:
        reason: Stable code, such as ``truncated`` or ``too_many_pixels``.
        detail: Explanation on one line.

    Reasons:
        not_a_file (failed): A FIFO, socket, device, or a broken link.
        outside_folder (failed): A link whose target lies outside the image folder.
        unreadable (failed): The system refuses, or the file changed during reading; the next run tries again.
        empty (failed): The file has no bytes.
        too_large (failed): The file has more bytes than `limits.max_bytes`.
        not_an_image (failed): Contents in no accepted format (AVIF, BMP, GIF, JPEG, JPEG 2000, PNG, TIFF, WebP).
        unsupported_format (failed): An image that this installation cannot read, such as HEIC without pi-heif.
        vector (failed): SVG, under any name.
        mislabelled (failed): The name has one image format's ending, but the contents another format.
        too_many_pixels (failed): More than `limits.max_pixels`, as stated by the file before decoding.
        too_many_frames (failed): More than `limits.max_frames`, as stated by the file before decoding.
        truncated (failed): The file ends before the image.
        corrupt (failed): The contents are unreadable.
        unsupported_mode (failed): An intact file whose pixels cannot convert to RGB.
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
        detail: Explanation on one line.
        sent: Number of times that the request was sent.
        status: HTTP status, if the endpoint returned one.
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
    """A recipe is invalid."""


class StepError(BenchwrightError):
    """A step cannot run as it is configured, or its worker died during the step's `open`."""


class StorageError(BenchwrightError):
    """A disk is full, read-only or failing, or a path is unusable (`benchwright.machine.storage_faults`)."""
