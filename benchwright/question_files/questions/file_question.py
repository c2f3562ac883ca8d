"""The record of a question from a file: its location, its pictures, and its item or why it is not an item."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from benchwright.canonical import digest
from benchwright.questions.own_ids import OWN_ID, STATED_ID
from benchwright.records import LETTERS, Choice, Item, ItemImage

from .asked_question import AskedQuestion

OWN_SPLIT = "source_split"
"""Attribute of items: the split of the question in its source."""
IMPORTED = "imported"
"""Key of an item's evidence: id and split in its original release, and the operation that made it there."""


class FileQuestion(NamedTuple):
    """A question in a file or a release, whether or not it is an item.

    Args:
        file: Path of its file in the source.
        row: Row of the file.
        question: The question.
        image_ids: Its pictures in order; None for a missing or unusable one.
        outcome: None for an item; otherwise the reason, such as `missing_picture` or `no_options`. The texts and the
            key can be checked nevertheless.
        detail: The reason as text; empty for an item.
        names: The source's names of its pictures, in order; for an embedded picture, its location in the file.
    """

    file: str
    row: str
    question: AskedQuestion
    image_ids: tuple[str | None, ...]
    outcome: str | None = None
    detail: str = ""
    names: tuple[str, ...] = ()

    @property
    def has_pictures(self) -> bool:
        """Return whether the question has at least one picture and all of them are present."""
        return bool(self.image_ids) and None not in self.image_ids

    @property
    def stand_ins(self) -> tuple[str, ...]:
        """Return the ids of the question's pictures, at least one; a missing picture gets an id from its name."""
        named = [image_id or _stand_in(name) for image_id, name in zip(self.image_ids, self.names, strict=True)]
        return tuple(named) or (_stand_in(f"{self.file}: {self.row}, no picture"),)

    @property
    def identity(self) -> str:
        """Return a digest, of the stated id, text, options and pictures, that identifies the question among all
        sources.

        Other rows and the locations of files have no influence. A row without an id therefore contributes no id,
        because its number would change with earlier rows.
        """
        stated = self.question.labels.get(STATED_ID, self.question.key)
        own_id = None if stated == self.row else stated
        return digest(["asked question", own_id, self.question.ask, self.question.options, self.stand_ins])

    def item_for_texts(self, item_id: str | None = None) -> Item | None:
        """Return the question as an item for checks of texts and keys; None if it lacks a text or options.

        Never put such an item into a table or a release.

        Args:
            item_id: Its id; None for a digest of the question.
        """
        if self.question.kind == "open" or not self.question.ask:
            return None
        ids = self.stand_ins
        return item_of(
            self.question,
            ids,
            item_id=item_id or digest(["imported question", self.question.key])[:32],
            root_image_id=ids[0],
            operation_id=digest(["imported question"])[:32],
            groups={f"image:{image_id}" for image_id in ids},
        )

    def open_item_for_texts(self, item_id: str) -> Item:
        """Return an open question as an item without options and key, for checks of its text and pictures.

        It does not pass the validation of items: never put it into a table or a release. If it has no picture, it shows
        none, so two such questions with the same text ask the same.

        Args:
            item_id: Its id.
        """
        question, ids = self.question, self.stand_ins if self.names else ()
        own = (f"source:{question.group}",) if question.group else ()
        return Item.model_construct(
            item_id=item_id,
            task=question.task,
            kind="multiple_choice",
            images=tuple(ItemImage(image_id=image_id, role="picture") for image_id in ids),
            question=question.ask,
            choices=(),
            answer=None,
            group_keys=own,
            level=question.level,
            category=question.category,
            attributes=question.labels,
            explanation=question.explanation,
            root_image_id=ids[0] if ids else item_id,
            operation_id=item_id,
            made_from=ids[0] if ids else item_id,
        )


def _stand_in(name: str) -> str:
    """Return the substitute id of a missing picture, derived from its name in the source."""
    return digest(["picture that is not there", name])


def item_of(
    question: AskedQuestion,
    image_ids: Sequence[str],
    *,
    item_id: str,
    root_image_id: str,
    operation_id: str,
    groups: Collection[str],
) -> Item:
    """Return a question as an item.

    An item of a release keeps its id, revision and content, so that both have the same content hash; its evidence
    states where it was made. Other items keep the id and split as attributes.

    Args:
        question: The question.
        image_ids: Ids of its pictures in order.
        item_id: Id of the item, unless it comes from a release.
        root_image_id: Source image of its first picture.
        operation_id: Operation that makes it.
        groups: Keys of groups that a split must keep together, besides the question's own group.

    Raises:
        ValidationError: The question is open.
    """
    own = {f"source:{question.group}"} if question.group else set()
    if question.item is not None:
        original = question.item
        source = {"item_id": original.item_id, "operation_id": original.operation_id, "split": question.split}
        return original.model_copy(
            update={
                "root_image_id": root_image_id,
                "operation_id": operation_id,
                "made_from": image_ids[0],
                "group_keys": tuple(sorted({*original.group_keys, *groups})),
                "evidence": {**original.evidence, IMPORTED: source},
            }
        )
    choices = tuple(
        Choice(key=key, text=option) if isinstance(option, str) else Choice(key=key, image_id=image_ids[option])
        for key, option in zip(LETTERS, question.options, strict=False)
    )
    shown = {option for option in question.options if isinstance(option, int)}
    attributes = {OWN_ID: question.key} | ({OWN_SPLIT: question.split} if question.split else {})
    return Item.model_validate(
        {
            "item_id": item_id,
            "task": question.task,
            "kind": question.kind,
            "images": tuple(
                ItemImage(image_id=image_id, role="choice" if number in shown else "picture")
                for number, image_id in enumerate(image_ids)
            ),
            "question": question.ask,
            "choices": choices,
            "answer": None if question.answer is None else LETTERS[question.answer],
            "refusal": None if question.refusal is None else LETTERS[question.refusal],
            "group_keys": tuple(sorted({*groups, *own})),
            "level": question.level,
            "category": question.category,
            "attributes": {**question.labels, **attributes},
            "explanation": question.explanation,
            "root_image_id": root_image_id,
            "operation_id": operation_id,
            "made_from": image_ids[0],
        }
    )
