"""DINO features: finds the picture whose feature vector is closest to that of a reference.

A specialist for `visual_similarity` and `art_style`; BLINK's table 2 has no specialist for either task.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from benchwright.images.decode import decode_rgb

from ...prompting.question import Question
from .base import Fits, cosines
from .question_forms import reference_and_choices
from .weights import ModelSpecialist, require_model_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ComparedPictures(NamedTuple):
    """A reference and the pictures of the options, prepared for the model, and the keys of the options."""

    prepared: NDArray[np.float32]
    keys: tuple[str, ...]


class Dino(ModelSpecialist[ComparedPictures]):
    """Picks the picture whose DINOv2 vector has the largest cosine with that of the reference."""

    name: ClassVar[str] = "dino"
    tasks: ClassVar[frozenset[str]] = frozenset({"visual_similarity", "art_style"})
    version: ClassVar[int] = 1
    repository: ClassVar[str] = "facebook/dinov2-small"

    def content_of(self, question: Question) -> ComparedPictures:
        """Return the reference and the pictures of the options in the model's input form."""
        import numpy as np

        from benchwright.models.picture_vectors import Preprocessing

        shown = reference_and_choices(question)
        prepare = Preprocessing.of(self.folder)
        pictures = (shown.reference, *shown.choices.values())
        return ComparedPictures(np.stack([prepare(decode_rgb(p.data)) for p in pictures]), tuple(shown.choices))

    def fits(self, batch: Sequence[ComparedPictures]) -> list[Fits | str]:
        """Return the cosines with the reference vector."""
        import numpy as np

        from benchwright.models.picture_vectors import embed

        vectors = embed(self.opened, np.concatenate([content.prepared for content in batch]))
        ends = np.cumsum([len(content.prepared) for content in batch])
        return [
            dict(zip(content.keys, cosines(own[0], own[1:]).tolist(), strict=True))
            for content, own in zip(batch, np.split(vectors, ends[:-1]), strict=True)
        ]

    def load(self, place: str) -> Any:
        """Return the model."""
        from transformers import AutoModel

        require_model_type(self.folder, "dinov2", "dinov2_with_registers", "dinov3_vit")
        model = AutoModel.from_pretrained(self.folder, use_safetensors=True, local_files_only=True)
        return model.float().to(place).eval()
