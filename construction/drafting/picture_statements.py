"""Statements by people (facts) and datasets (annotations) about a picture, as input for drafting questions."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from benchwright.errors import RecipeError
from benchwright.records import ImageRecord
from benchwright.steps import Context

from ..ground_truth.truths import Captions, GroundTruth, LabelledBoxes, NamedEntity, VisualQuestion
from ..ground_truth.values import read_truths

_FACT_USES = ("subjects", "answerable", "unanswerable", "implication")
"""Values of the step `facts` from which questions are drafted."""
_ANNOTATION_KINDS: tuple[type[GroundTruth], ...] = (Captions, LabelledBoxes, VisualQuestion, NamedEntity)
"""Kinds of ground truth from which questions are drafted."""
_MOST_LISTED = 40
"""Largest number of entries of one kind that a model is given."""


class PictureStatements(NamedTuple):
    """The statements about one picture.

    Args:
        facts: Facts by use, from the step `facts`; uses without facts are omitted.
        truths: Annotations of the picture by datasets.
    """

    facts: Mapping[str, Any]
    truths: Sequence[GroundTruth]

    def document(self) -> dict[str, Any]:
        """Return the input for a model, as JSON values; empty if nothing is stated."""
        document: dict[str, Any] = {}
        for use, value in self.facts.items():
            document[use] = _without_origin(value)
        captions = [text for truth in self.truths if isinstance(truth, Captions) for text in truth.texts]
        boxes = [box for truth in self.truths if isinstance(truth, LabelledBoxes) for box in truth.boxes]
        asked = [truth for truth in self.truths if isinstance(truth, VisualQuestion)]
        entities = [truth for truth in self.truths if isinstance(truth, NamedEntity)]
        listed: dict[str, list[Any]] = {
            "captions": captions,
            "boxes_xyxy": [{"label": box.label, "box": [round(side) for side in box.box]} for box in boxes],
            "answered_questions": [{"ask": truth.question, "right": truth.answer} for truth in asked],
            "entities": [{"name": truth.entity, "kind": truth.entity_kind} for truth in entities],
        }
        return document | {name: entries[:_MOST_LISTED] for name, entries in listed.items() if entries}


def _without_origin(value: Any) -> Any:
    """Return facts without their authors, which a model must not see."""
    if isinstance(value, list):
        return [_without_origin(entry) for entry in value[:_MOST_LISTED]]
    if isinstance(value, dict):
        return {
            name: _without_origin(part)
            for name, part in value.items()
            if name not in {"written_in", "written_by", "author"} and part not in (None, [], "")
        }
    return value


def columns_of(
    given: Mapping[str, Mapping[str, str]], *, step: str, stated_by: str | None, annotations_of: str | None
) -> tuple[str, ...]:
    """Return the values that a step reads from these entries.

    Args:
        given: Values of each stage before it.
        step: Name of the step.
        stated_by: Entry of the step `facts`; None for none.
        annotations_of: Entry of the step `dataset`; None for none.

    Raises:
        RecipeError: No earlier step has that name, or the step states nothing from which questions could be drafted.
    """
    columns: list[str] = []
    wanted = {
        "stated_by": (stated_by, _FACT_USES),
        "annotations_of": (annotations_of, tuple(kind.kind for kind in _ANNOTATION_KINDS)),
    }
    for setting, (entry, names) in wanted.items():
        if entry is None:
            continue
        known = [name for name in names if name in given.get(entry, {})]
        if not known:
            raise RecipeError(
                f"step {step!r} has `{setting}: {entry}`, but no earlier step has that name and states any "
                f"of {', '.join(names)}; earlier steps: {', '.join(given) or 'nothing'}"
            )
        columns += [f"{entry}.{name}" for name in known]
    return tuple(columns)


def statements_about(record: ImageRecord, ctx: Context, columns: Sequence[str]) -> PictureStatements:
    """Return what these values state about an image, excluding annotations that cover several pictures."""
    kinds = {kind.kind: kind for kind in _ANNOTATION_KINDS}
    facts: dict[str, Any] = {}
    truths: list[GroundTruth] = []
    for column in columns:
        name, text = column.rpartition(".")[2], ctx.value(record.image_id, column)
        if text is None:
            continue
        if name in kinds:
            truths += [entry.truth for entry in read_truths(text, kinds[name]) if len(entry.image_ids) == 1]
        else:
            facts[name] = json.loads(text)
    return PictureStatements(facts, truths)
