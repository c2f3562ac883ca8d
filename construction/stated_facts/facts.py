"""The step that assigns facts to the images of a run; people state them in a file, by marking or in words.

Facts become values of the images, one per use. Steps that make items read only the values that they use, so that after
a fact is edited, only the items that depend on it are made again.
"""

from __future__ import annotations

import logging
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from pydantic import Field, PrivateAttr, ValidationInfo, field_validator, model_validator

from benchwright.canonical import canonical_json
from benchwright.errors import PrerequisiteError, RecipeError, StepError
from benchwright.facts import (
    FILE,
    REGIONS,
    STATEMENTS,
    Answerable,
    Authorship,
    ComposedFacts,
    Facts,
    PictureFacts,
    StatedImplication,
    StatementsOnPicture,
    Subject,
    Unanswerable,
    composed_facts,
    key_of,
    names_of,
    read_facts,
    read_marked,
    with_other_pictures_named,
    without_mistakes,
)
from benchwright.images.identify import path_for
from benchwright.steps import FOLDER, GatherContext, Gathered, GatherStep, Stream, Verdict

from .resolved_facts import resolved

if TYPE_CHECKING:
    import pyarrow as pa

logger = logging.getLogger(__name__)

BY_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
"""The pattern of a digest, which replaces a path in a resolved recipe."""
_FEW = 0.5
"""Proportion of images with facts below which a run reports the proportion."""
_USES = ("subjects", "unanswerable", "answerable", "implication", "cut_outs", "ideas")
_COLUMNS = ("image_id", "source_uri", "width", "height")


class StatedFacts(GatherStep):
    """Give images the facts that people state about them in a file or in campaigns; drops nothing.

    Later steps read the facts that they need, so the recipe lists `facts` before them, under this name or another one
    (`stated_by` of those steps). After a fact is edited, everything that depends on it is made again; after a comment
    is edited, nothing is.

    What people state in campaigns takes precedence over the file, for each picture and key: marked subjects replace the
    file's, and a subject keeps the file's phrase unless an annotator states another. The evidence records who stated
    what, and what could not be used.

    Args:
        file: Facts file, YAML or CSV, relative to the recipe's folder; null if people state all facts. A run writes the
            digest of its content instead.
        stated_by: Entries of earlier campaigns in which people mark pictures (`mark`) or state in words what they show
            (`state`); if two state the same fact, the first one is used.

    Reasons:
        other_size (ask): The image's size differs from the stated size; the image gets no facts from the file.
        not_all_used (ask): A stated fact contradicts the others or names something absent; the evidence states which
            and why, and the other facts are used.
    """

    name: ClassVar[str] = "facts"
    consumes: ClassVar[Stream] = "images"
    values: ClassVar[Mapping[str, str]] = dict.fromkeys(_USES, "string")

    file: str | None = Field(None, min_length=1)
    stated_by: tuple[str, ...] = ()
    _facts: Facts | None = PrivateAttr(None)
    _of_people: tuple[str, ...] = PrivateAttr(())

    @field_validator("stated_by")
    @classmethod
    def _each_once(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        if len(set(names)) != len(names):
            raise ValueError("list each campaign only once")
        return names

    @model_validator(mode="after")
    def _read(self, info: ValidationInfo) -> StatedFacts:
        if self.file is None and not self.stated_by:
            raise ValueError("say where the facts are: a `file`, or campaigns under `stated_by`, or both")
        if self.file is not None and not BY_DIGEST.fullmatch(self.file):
            folder = (info.context or {}).get(FOLDER, Path())
            self._facts = read_facts(folder / self.file)
        return self

    def placed(self, given: Mapping[str, Mapping[str, str]]) -> StatedFacts:
        """Return the step connected to the columns of the campaigns that its settings name.

        Raises:
            RecipeError: A campaign does not precede the step, or people neither mark nor state anything in it.
        """
        columns: list[str] = []
        for campaign in self.stated_by:
            if campaign not in given:
                raise RecipeError(
                    f"step 'facts' takes people's statements from {campaign!r}, but no earlier step has that name; "
                    f"earlier steps: {', '.join(given) or 'nothing'}"
                )
            values = [value for value in (REGIONS, STATEMENTS) if value in given[campaign]]
            if not values:
                raise RecipeError(
                    f"step 'facts' takes people's statements from {campaign!r}, but there they neither mark pictures "
                    "nor state what they show; name campaigns of the kinds `mark` and `state`"
                )
            columns += [f"{campaign}.{value}" for value in values]
        placed = self.model_copy()
        placed._of_people = tuple(columns)
        return placed

    @property
    def columns(self) -> tuple[str, ...]:  # type: ignore[override]
        """Return the image columns that the step needs, and the values that hold the facts stated by people."""
        return (*_COLUMNS, *self._of_people)

    def parameters(self) -> dict[str, Any]:
        """Return the digest of the file's facts, so that neither its path nor its layout matters."""
        file = {"file": f"sha256:{self._facts.sha256}" if self._facts is not None else self.file}
        return file | ({"stated_by": list(self.stated_by)} if self.stated_by else {})

    def speaks_of(self, uri: str) -> bool | None:
        """Return whether the file mentions a picture with that path or file name; sizes and digests are not compared.

        Campaigns ask about every picture, so with a campaign, the step covers all pictures.
        """
        if self._facts is None or self.stated_by:
            return None
        path = path_for(uri)
        names = {name for key, picture in self._facts.images.items() for name in (key, *picture.also)}
        return not names.isdisjoint({path.as_posix(), path.name})

    def gather(self, columns: pa.Table, ctx: GatherContext) -> Gathered:
        """Return, for each use, the facts of each image about which anything is stated."""
        if self.file is not None and self._facts is None:
            raise PrerequisiteError(f"step {ctx.stage!r}: facts {self.file} are known by digest only; give the file")
        images = [_NamedImage(*row) for row in zip(*(columns[name].to_pylist() for name in _COLUMNS), strict=True)]
        told = {name: columns[name].to_pylist() for name in self._of_people}
        filed = self._facts.images if self._facts is not None else {}
        keys = _keys_of(filed, images, ctx.stage)
        known = dict(_stated(images, filed, keys, told, ctx.stage))
        _warn(filed, {stated.key for stated in known.values() if stated.is_sized}, images, known)
        pictures = {key: picture for key, picture in filed.items() if key not in _replaced(known, keys)}
        pictures |= {stated.key: stated.facts.picture for stated in known.values() if stated.is_used}
        left_out: dict[str, dict[str, str]] = {}
        if self.stated_by or any(picture.size_wh is None for picture in filed.values()):
            key_of = _names(images, known)
            named = {key: with_other_pictures_named(picture, key_of) for key, picture in pictures.items()}
            pictures, left_out = without_mistakes(named)
        image_of: dict[str, str] = {}
        for row in sorted(known, key=lambda row: (images[row].uri or "", images[row].image_id)):
            if known[row].is_used:
                image_of.setdefault(known[row].key, images[row].image_id)
        rows = sorted(known)
        uses, verdicts, reasons, evidence = [], list[Verdict](), [], []
        for row in rows:
            stated = known[row]
            unused = {**stated.facts.left_out, **left_out.get(stated.key, {})} if stated.is_used else {}
            uses.append(_uses(pictures, stated, image_of) if stated.is_used else {})
            reason = "other_size" if not stated.is_sized else "not_all_used" if unused else None
            reasons.append(reason)
            verdicts.append("keep" if reason is None else "ask")
            evidence.append(_evidence(stated, unused, people=bool(self.stated_by)))
        return Gathered(
            rows=np.array(rows, np.int64),
            verdicts=verdicts,
            reasons=reasons,
            values={use: [stated_uses.get(use) for stated_uses in uses] for use in _USES},
            evidence=evidence,
        )


class _Stated(NamedTuple):
    """What is stated about one image.

    Args:
        key: Key of the image among the facts of the run.
        facts: The facts.
        filed: The file's facts; None if no file mentions the image.
        is_sized: Whether the image has the stated size.
        is_used: Whether there are facts of the right size.
    """

    key: str
    facts: ComposedFacts
    filed: PictureFacts | None
    is_sized: bool
    is_used: bool


def _stated(
    images: Sequence[_NamedImage],
    filed: Mapping[str, PictureFacts],
    keys: Mapping[int, str],
    told: Mapping[str, Sequence[str | None]],
    stage: str,
) -> Iterator[tuple[int, _Stated]]:
    """Yield the facts of each image about which anything is stated, by row."""
    sharing = Counter(keys.values())
    for row, image in enumerate(images):
        picture = filed[keys[row]] if row in keys else None
        texts = {name: text for name, column in told.items() if (text := column[row]) is not None}
        if picture is None and not texts:
            continue
        is_sized = picture is None or picture.stated_size_wh in (None, image.size_wh)
        used = picture if is_sized else None
        if not texts:
            if used is not None and used.size_wh is None:
                used = used.model_copy(update={"size_wh": image.size_wh})
            facts = ComposedFacts(used or PictureFacts(), _by_file(used))
            yield row, _Stated(keys[row], facts, picture, is_sized, used is not None)
            continue
        key = keys[row] if row in keys and sharing[keys[row]] == 1 and is_sized else image.key
        marked = {
            name.rpartition(".")[0]: read_marked(text) for name, text in texts.items() if name.endswith(f".{REGIONS}")
        }
        if wrong := [campaign for campaign, marks in marked.items() if marks.size_wh != image.size_wh]:
            raise StepError(f"step {stage!r}: {wrong[0]!r} has marks on {image.key} for a picture of another size")
        statements = {
            name.rpartition(".")[0]: StatementsOnPicture.model_validate_json(text)
            for name, text in texts.items()
            if name.endswith(f".{STATEMENTS}")
        }
        composed = composed_facts(used, marked, statements)
        facts = replace(composed, picture=composed.picture.model_copy(update={"size_wh": image.size_wh}))
        yield row, _Stated(key, facts, picture, is_sized, True)


def _by_file(picture: PictureFacts | None) -> dict[str, tuple[str, ...]]:
    keys = ("answerable", "background", "implication", "pairs", "subjects", "unanswerable")
    return {key: (FILE,) for key in keys if getattr(picture, key, None)}


def _replaced(known: Mapping[int, _Stated], keys: Mapping[int, str]) -> set[str]:
    """Return the file's keys whose facts are stored under another key because several images share them."""
    under_others = {keys[row] for row, stated in known.items() if row in keys and stated.key != keys[row]}
    return under_others - {stated.key for stated in known.values()}


def _names(images: Sequence[_NamedImage], known: Mapping[int, _Stated]) -> dict[str, str]:
    """Return the keys of the pictures about which something is stated, by every name that a picture may have."""
    named: dict[str, set[str]] = defaultdict(set)
    for row, stated in known.items():
        also = {*stated.facts.picture.also, *(stated.filed.also if stated.filed is not None else ())}
        for name in (*images[row].names, *sorted(also)):
            named[name].add(stated.key)
    taken = {stated.key for stated in known.values()}
    return {name: next(iter(keys)) for name, keys in named.items() if len(keys) == 1 and name not in taken}


def _warn(
    filed: Mapping[str, PictureFacts], used: set[str], images: Sequence[_NamedImage], known: Mapping[int, _Stated]
) -> None:
    if unused := [key for key in filed if key not in used]:
        logger.warning("facts about %d pictures match no image of this run: %s", len(unused), ", ".join(sorted(unused)))
    if len(known) < _FEW * len(images):
        logger.warning(
            "facts describe %d of %d images; steps that need facts make no items from the others",
            len(known),
            len(images),
        )
    if empty := sorted({stated.key for stated in known.values() if not stated.facts.picture.states_something}):
        logger.warning("facts name %d pictures but state nothing else about them: %s", len(empty), ", ".join(empty))


def _evidence(stated: _Stated, unused: Mapping[str, str], *, people: bool) -> dict[str, Any]:
    """Return the part of an image's facts that belongs in its evidence: who stated what, and which facts are not
    used.
    """
    evidence: dict[str, Any] = {"facts": stated.key}
    source = stated.facts.picture.source or (None if stated.filed is None else stated.filed.source)
    if source is not None:
        evidence["source"] = source.model_dump(mode="json", exclude_none=True)
    if not stated.is_sized:
        assert stated.filed is not None, "only a file states a size"
        evidence["stated_wh"] = list(stated.filed.stated_size_wh or ())
    if people:
        evidence["stated_by"] = {key: list(names) for key, names in stated.facts.stated_by.items()}
    if stated.facts.is_simulated:
        evidence["simulated"] = True
    return evidence | ({"left_out": dict(sorted(unused.items()))} if unused else {})


class _NamedImage(NamedTuple):
    image_id: str
    uri: str | None
    width: int
    height: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names by which facts may refer to the image: its path, file name and id."""
        return names_of(self.uri, self.image_id)

    @property
    def size_wh(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def key(self) -> str:
        """Return the image's default key among the facts, used if no file mentions the image."""
        return key_of(self.uri, self.image_id)


def _keys_of(filed: Mapping[str, PictureFacts], images: Sequence[_NamedImage], stage: str) -> dict[int, str]:
    """Return each image's key in the facts file, by row.

    Raises:
        StepError: A file name matches several images, or two keys match one image.
    """
    by_name: dict[str, list[int]] = defaultdict(list)
    for row, image in enumerate(images):
        for name in sorted(set(image.names)):
            by_name[name].append(row)
    paths = {path_for(image.uri).as_posix(): row for row, image in enumerate(images) if image.uri is not None}
    keys: dict[int, str] = {}
    for key, picture in filed.items():
        for name in (key, *picture.also):
            rows = [paths[name]] if name in paths else by_name.get(name, [])
            if len(rows) > 1:
                where = ", ".join(sorted(images[row].uri or "" for row in rows))
                raise StepError(f"step {stage!r}: the facts' name {name!r} fits several images: {where}; give the path")
            for row in rows:
                if keys.setdefault(row, key) != key:
                    raise StepError(f"step {stage!r}: facts {keys[row]!r} and {key!r} describe the same image")
    return keys


def _uses(pictures: Mapping[str, PictureFacts], stated: _Stated, image_of: Mapping[str, str]) -> dict[str, str]:
    """Return the facts for each kind of step as canonical JSON, omitting kinds without facts."""
    key, authors = stated.key, stated.facts.authors
    picture = pictures[key]
    subjects = [{"name": subject.name, "phrase": subject.phrase, "box": subject.box} for subject in picture.subjects]
    uses: dict[str, Any] = {
        "subjects": subjects,
        "unanswerable": [
            _written(question, authors.get(f"unanswerable/{question.name}")) for question in picture.unanswerable
        ],
        "answerable": [
            _written(question, authors.get(f"answerable/{question.name}")) for question in picture.answerable
        ],
        "implication": picture.implication and _conveyed(picture.implication, authors.get("implication")),
        "cut_outs": [
            _cut_out(pictures, picture, subject, image_of)
            for subject in picture.subjects
            if subject.cut_out and subject.cut_out.onto
        ],
        "ideas": picture.pairs and resolved(pictures, key, image_of).model_dump(mode="json"),
    }
    return {use: canonical_json(value) for use, value in uses.items() if value}


def _written(question: Unanswerable | Answerable, author: Authorship | None) -> dict[str, Any]:
    """Return a question in the form that steps read, with its author and slot if people wrote it."""
    document = question.model_dump(mode="json")
    if author is None:
        return document
    return {**document, "written_in": author.written_in.model_dump(mode="json"), "written_by": author.by}


def _conveyed(stated: StatedImplication, author: Authorship | None) -> dict[str, Any]:
    """Return an implication in the form that steps read, with its author and slot if people wrote it."""
    implication = stated.stated()
    if author is not None:
        implication = implication.model_copy(update={"written_in": author.written_in, "author": author.by})
    return implication.model_dump(mode="json")


def _cut_out(
    pictures: Mapping[str, PictureFacts], picture: PictureFacts, subject: Subject, image_of: Mapping[str, str]
) -> dict[str, Any]:
    """Return the facts for pairs with a subject: how to cut out the subject, and the pictures of the run in front of
    which to place it.
    """
    cut = subject.cut_out
    assert cut is not None
    backgrounds = {image.background for image in pictures.values() if image.background is not None}
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
            {"name": name, "image_id": image_of[name], "background": pictures[name].background}
            for name in cut.onto
            if name in image_of
        ],
        "other_backgrounds": sorted(backgrounds - {picture.background}),
    }
