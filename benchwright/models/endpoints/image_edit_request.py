"""A request to edit a picture, and the identity that distinguishes it from other requests."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from benchwright.canonical import bytes_digest


@dataclass(frozen=True)
class ImageEditRequest:
    """A single edit.

    Args:
        picture: PNG of the picture, in one of the model's sizes.
        mask: PNG of the same size with an alpha channel, 0 where the picture may change; None if all of it may change.
        words: Description of the result, or an instruction.
        model: Name of the model at the endpoint.
        size: Size of the result, such as `1536x1024`.
        seed: Number that distinguishes candidates.
        sends_seed: Whether the seed is sent to the endpoint.
        parameters: Further fields; a model may refuse them.
    """

    picture: bytes
    mask: bytes | None
    words: str
    model: str
    size: str
    seed: int
    sends_seed: bool
    parameters: Mapping[str, Any]

    def logged(self, asked: Mapping[str, Any]) -> dict[str, Any]:
        """Return the request's identity as JSON values: files by their SHA-256, fields as set in settings."""
        mask = None if self.mask is None else bytes_digest(self.mask)
        return {
            "api": "images", "model": self.model, "picture": bytes_digest(self.picture), "mask": mask,
            "prompt": self.words, "size": self.size, "seed": self.seed, **asked,
        }  # fmt: skip
