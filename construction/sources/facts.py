"""The step that assigns facts stated by people to the images of a run.

The file's facts become values of the images, one per use. Steps that make items read only the values that they use, so
that only items that depend on an edited fact are made again.
"""

from __future__ import annotations

import logging
import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import PrerequisiteError, StepError
from benchwright.facts import Facts, PictureFacts, Subject, read_facts
from benchwright.images.identify import path_for
from benchwright.steps import FOLDER, GatherContext, Gathered, GatherStep, Stream, Verdict

from .resolved_facts import resolved

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

_BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
FEW = 0.5
"""Share of images with facts below which a run reports it."""
_USES = ("subjects", "unanswerable", "answerable", "implication", "cut_outs", "ideas")


class StatedFacts(GatherStep):
    """Give images the facts that a file states about them; drops nothing.

    Later steps read what they need of it, so the recipe has `facts` before them, under this name. An edited fact makes
    again what rests on it; a comment makes nothing again.

    Args:
        file: Facts file, relative to the recipe's folder. In what a run writes, the digest of its content stands
            in its place.

    Reasons:
        other_size (ask): The image has another size than stated, and gets no facts.
    """

    name: ClassVar[str] = "facts"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = dict.fromkeys(_USES, "string")
    columns: ClassVar[tuple[str, ...]] = ("image_id", "source_uri", "width", "height")

    file: str = Field(min_length=1)
    _facts: Facts | None = PrivateAttr(None)

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> StatedFacts:
        if not _BY_DIGEST.fullmatch(self.file):
            folder = (info.context or {}).get(FOLDER, Path())
            self._facts = read_facts(folder / self.file)
        return self

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the file's facts, so that neither its path nor its layout matters."""
        return {"file": f"sha256:{self._facts.sha256}" if self._facts is not None else self.file}

    def speaks_of(self, uri: str) -> bool | None:
        """Return whether the file has a picture of that path or file name; sizes and digests are not compared."""
        if self._facts is None:
            return None
        path = path_for(uri)
        names = {name for key, picture in self._facts.images.items() for name in (key, *picture.also)}
        return not names.isdisjoint({path.as_posix(), path.name})

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return the facts of each picture's images; images of another size than stated are asked about."""
        if self._facts is None:
            raise PrerequisiteError(f"step {ctx.stage!r}: facts {self.file} are known by digest only; give the file")
        images = [_Image(*row) for row in zip(*(columns[name].to_pylist() for name in self.columns), strict=True)]
        keys = _keys_of(self._facts, images, ctx.stage)
        sized = {row: key for row, key in keys.items() if images[row].size_wh == self._facts.images[key].size_wh}
        image_of: dict[str, str] = {}
        for row in sorted(sized, key=lambda row: (images[row].uri or "", images[row].image_id)):
            image_of.setdefault(sized[row], images[row].image_id)
        if unused := [key for key in self._facts.images if key not in image_of]:
            logger.warning("facts of %d pictures fit no image of this run: %s", len(unused), ", ".join(sorted(unused)))
        if len(keys) < FEW * len(images):
            logger.warning(
                "facts speak of %d of %d images; steps that rest on facts make nothing of the others",
                len(keys),
                len(images),
            )
        rows = sorted(keys)
        uses = [_uses(self._facts, keys[row], image_of) if row in sized else {} for row in rows]
        verdicts: list[Verdict] = ["keep" if row in sized else "ask" for row in rows]
        evidence = [_told(keys[row], self._facts.images[keys[row]], row in sized) for row in rows]
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=[None if row in sized else "other_size" for row in rows],
            values={use: [stated.get(use) for stated in uses] for use in _USES},
            evidence=evidence,
        )


def _told(key: str, picture: PictureFacts, is_sized: bool) -> dict[str, Any]:
    """Return the part of an image's facts that its evidence holds."""
    evidence: dict[str, Any] = {"facts": key}
    if picture.source is not None:
        evidence["source"] = picture.source.model_dump(mode="json", exclude_none=True)
    return evidence if is_sized else evidence | {"stated_wh": list(picture.size_wh)}


class _Image(NamedTuple):
    image_id: str
    uri: str | None
    width: int
    height: int

    @property
    def size_wh(self) -> tuple[int, int]:
        return self.width, self.height


def _keys_of(facts: Facts, images: Sequence[_Image], stage: str) -> dict[int, str]:
    """Return each image's key in the facts file, by row.

    Raises:
        StepError: A file name fits several images, or two keys fit one image.
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for row, image in enumerate(images):
        path = path_for(image.uri) if image.uri is not None else None
        names = {image.image_id, *([path.as_posix(), path.name] if path is not None else [])}
        for name in sorted(names):
            by_name[name].append(row)
    paths = {path_for(image.uri).as_posix(): row for row, image in enumerate(images) if image.uri is not None}
    keys: dict[int, str] = {}
    for key, picture in facts.images.items():
        for name in (key, *picture.also):
            rows = [paths[name]] if name in paths else by_name.get(name, [])
            if len(rows) > 1:
                where = ", ".join(sorted(images[row].uri or "" for row in rows))
                raise StepError(f"step {stage!r}: the facts' name {name!r} fits several images: {where}; give the path")
            for row in rows:
                if keys.setdefault(row, key) != key:
                    raise StepError(f"step {stage!r}: facts {keys[row]!r} and {key!r} speak of the same image")
    return keys


def _uses(facts: Facts, key: str, image_of: Mapping[str, str]) -> dict[str, str]:
    """Return the facts for each kind of step, as canonical JSON; kinds without facts are left out."""
    picture = facts.images[key]
    subjects = [{"name": subject.name, "phrase": subject.phrase, "box": subject.box} for subject in picture.subjects]
    stated: dict[str, Any] = {
        "subjects": subjects,
        "unanswerable": [question.model_dump(mode="json") for question in picture.unanswerable],
        "answerable": [question.model_dump(mode="json") for question in picture.answerable],
        "implication": picture.implication and picture.implication.stated().model_dump(mode="json"),
        "cut_outs": [
            _cut_out(facts, picture, subject, image_of)
            for subject in picture.subjects
            if subject.cut_out and subject.cut_out.onto
        ],
        "ideas": picture.pairs and resolved(facts.images, key, image_of).model_dump(mode="json"),
    }
    return {use: canonical_json(value) for use, value in stated.items() if value}


def _cut_out(facts: Facts, picture: PictureFacts, subject: Subject, image_of: Mapping[str, str]) -> dict[str, Any]:
    """Return the facts for pairs of a subject: how to cut it out, and the existing pictures to put it in front of."""
    cut = subject.cut_out
    assert cut is not None
    backgrounds = {image.background for image in facts.images.values() if image.background is not None}
    outlined = {} if cut.mask is None else {"mask": cut.mask.model_dump(mode="json")}
    return {
        "name": subject.name,
        "phrase": subject.phrase,
        "box": subject.box,
        "inside": cut.inside,
        "outside": cut.outside,
        **outlined,
        "background": picture.background,
        "onto": [
            {"name": name, "image_id": image_of[name], "background": facts.images[name].background}
            for name in cut.onto
            if name in image_of
        ],
        "other_backgrounds": sorted(backgrounds - {picture.background}),
    }
