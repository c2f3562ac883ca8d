"""Data shared by several checks of an audit: picture measures, copies, replies, and the item filters' report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchwright.canonical import digest
from benchwright.diagnostics.copies.pair_looks import FileToLookAt, LookedAt, Looking, PairToLookAt, look_at
from benchwright.diagnostics.copies.picture_copies import MeasuredPicture, PictureCopies, find_copies
from benchwright.diagnostics.copies.picture_hashes import CopyMeasures
from benchwright.diagnostics.keys.suspected_keys import PeopleAnswers
from benchwright.replies.model_replies import (
    LetterMatrix,
    ModelReplies,
    given_twice,
    letter_matrix,
    read_replies,
    votes_of,
)
from benchwright.texts.normalization import counted

from .check import CheckSkipped, FailedItem, require_words
from .picture_measures import PictureMeasures, measured_pictures

if TYPE_CHECKING:
    from benchwright.diagnostics.item_report import ItemReport
    from benchwright.diagnostics.shortcuts.text_only_baseline import ItemWords
    from benchwright.records import Item

    from .check import AuditContext
    from .source.audited_items import AuditedItem, AuditedItems

MEASURES = "measures"
"""Name under which the measures of pictures are shared."""
_SIMILAR = "audit similar options 3"
_LEARNED, _RULED = "audit learned picks 4", "audit rules over words 5"
MOST_LEARNED = 1000
"""Largest number of items for learners, which see a sample of more: enough to tell five points of accuracy from
chance."""
_NO_PICTURES = "no picture of the source can be read; give their folder with --pictures"


class GivenReplies(NamedTuple):
    """Replies supplied to an audit by the source or by the user.

    Args:
        matrix: Replies of models; a matrix without rows if there are none.
        people: People's answers; None if none were given.
        read: Replies as read, from models and from people.
        repeated: Names under which a model was given a second time, which are ignored, each with the name that is used.
    """

    matrix: LetterMatrix
    people: PeopleAnswers | None
    read: tuple[ModelReplies, ...]
    repeated: Mapping[str, str]


def given_replies(audited: AuditedItems, context: AuditContext) -> GivenReplies:
    """Return the replies next to the questions and the replies that the user supplied, which are read once for all
    checks.

    A file given under the name of a model with replies next to the questions replaces those replies.

    Raises:
        DataError: A file contains no replies to these items.
    """
    return context.shared("replies", lambda: _read_replies(audited, context))


def _read_replies(audited: AuditedItems, context: AuditContext) -> GivenReplies:
    items = [each.keyed_item for each in audited.choice_items]
    given = [replies for name, path in context.replies for replies in read_replies(path, items, model=name)]
    named = {replies.model for replies in given}
    models = [*(replies for replies in audited.replies if replies.model not in named), *given]
    people = [replies for path in context.people for replies in read_replies(path, items)]
    answers = PeopleAnswers(votes_of(people, items)) if people else None
    repeated = given_twice(models, items)
    matrix = letter_matrix(items, [replies for replies in models if replies.model not in repeated])
    return GivenReplies(matrix, answers, (*models, *people), repeated)


def require_pictures(audited: AuditedItems) -> None:
    """Raise `CheckSkipped` if no picture of the source is readable."""
    if not audited.pictures:
        if not audited.worded:
            require_words(audited)
        raise CheckSkipped(_NO_PICTURES)


def picture_measures(audited: AuditedItems, context: AuditContext) -> Mapping[str, PictureMeasures]:
    """Return the measures of all pictures, by id.

    Raises:
        CheckSkipped: There is no picture.
    """
    require_pictures(audited)
    return context.shared(MEASURES, lambda: measured_pictures(list(audited.pictures.values()), context))


def readable_pictures(audited: AuditedItems, context: AuditContext) -> Mapping[str, PictureMeasures]:
    """Return the measures of all decodable pictures, by id.

    Raises:
        CheckSkipped: There is no such picture, so that the check would cover nothing.
    """
    measured = picture_measures(audited, context)
    readable = {image_id: measures for image_id, measures in measured.items() if measures.failed is None}
    if not readable:
        raise CheckSkipped(f"none of {counted(len(audited.pictures), 'picture')} can be decoded")
    return readable


def picture_copies(audited: AuditedItems, context: AuditContext) -> PictureCopies:
    """Return the groups of pictures that show the same content.

    Raises:
        CheckSkipped: There is no picture.
    """
    measured = picture_measures(audited, context)

    def copies() -> PictureCopies:
        pictures = {
            image_id: MeasuredPicture(picture.file, picture.width, picture.height, copy_measures_of(measured[image_id]))
            for image_id, picture in audited.pictures.items()
            if image_id in measured and measured[image_id].failed is None
        }
        looking = _looking(context)
        found = find_copies(pictures, looking)
        _record_failed(looking, context)
        return found

    return context.shared("copies", copies)


def copy_measures_of(measured: PictureMeasures) -> CopyMeasures:
    """Return those measures of a picture that are used to find its copies."""
    return CopyMeasures(
        pixel_hash=measured.pixel_hash, words=measured.words, miniature=measured.miniature, **measured.hashes
    )


def looked_at(
    pairs: Sequence[PairToLookAt], files: Mapping[str, FileToLookAt], context: AuditContext
) -> dict[tuple[str, str], LookedAt]:
    """Return the result of comparing each pair, as in `look_at`; pairs on which the comparison fails are recorded in
    the context.
    """
    looking = _looking(context)
    looks = look_at(pairs, files, looking)
    _record_failed(looking, context)
    return looks


def _looking(context: AuditContext) -> Looking:
    return Looking(context.workers, context.progress, context.cache)


def _record_failed(looking: Looking, context: AuditContext) -> None:
    context.failed.extend(FailedItem(failed.error, pictures=failed[:2]) for failed in looking.failed)


def item_report(audited: AuditedItems, context: AuditContext) -> ItemReport:
    """Return the report on the items (`benchwright.diagnostics.item_report`); copies of a picture are treated as one.

    Raises:
        CheckSkipped: The source lacks the words of its questions.
    """
    from benchwright.diagnostics.item_report import report_on
    from benchwright.diagnostics.shortcuts.picks import Accuracy
    from benchwright.diagnostics.shortcuts.wording_rules import RuleResult, learned_picks, rule_results
    from benchwright.diagnostics.wording.repeated_options import OptionPair, repeated_pairs, similar_options
    from benchwright.diagnostics.wording.repeated_questions import identity_of
    from benchwright.statistics.score_interval import Interval

    kept = context.values(_SIMILAR)

    def similar(item: Item) -> list[OptionPair]:
        texts = digest([choice.text for choice in item.choices])
        rows = kept.get_or_make(texts, lambda: [[*pair.options, pair.likeness] for pair in similar_options(item)])
        return [OptionPair(item.item_id, (first, second), alike) for first, second, alike in rows]

    def learned(items: Sequence[ItemWords]) -> list[str]:
        def picks() -> list[str]:
            context.progress.phase("learning from words", 0, "items")
            return learned_picks(items)

        return list(context.kept(_LEARNED, items, picks))

    def rules(items: Sequence[Item]) -> list[RuleResult]:
        def results() -> list[RuleResult]:
            return rule_results(items, per="both", most_learned=MOST_LEARNED, learned=learned)

        words = [
            [item.item_id, item.task, item.question, item.right_key, item.group_keys, item.root_image_id]
            + [[choice.key, choice.text] for choice in item.choices]
            for item in items
        ]
        return [
            RuleResult(
                task, rule, Accuracy(count, value, Interval(*ends), chance, p), p_holm, tuple(rows), is_explained
            )
            for task, rule, (count, value, ends, chance, p), p_holm, rows, is_explained in context.kept(
                _RULED, words, results
            )
        ]

    def report() -> ItemReport:
        standing = standing_items(audited, context)

        def looked_at_once(each: AuditedItem) -> Item:
            item = standing[each.item_id]
            repeated_pairs(item), similar(item), identity_of(item)  # an item on which this fails is in no report
            return item

        items = [item for _, item in context.check_each(audited.items, looked_at_once)]
        return report_on(items, similar=similar, rules=rules)

    require_words(audited)
    return context.shared("item_report", report)


def standing_items(audited: AuditedItems, context: AuditContext) -> Mapping[str, Item]:
    """Return each item that has words, by its own id, with one representative in place of all copies of a picture."""

    def standing() -> dict[str, Item]:
        shown_as = picture_copies(audited, context).shown_as if audited.pictures else {}
        return {own: _with_one_picture_a_copy(each.item, shown_as) for own, each in audited.worded.items()}

    return context.shared("standing items", standing)


def _with_one_picture_a_copy(item: Item, shown_as: Mapping[str, str]) -> Item:
    """Return an item with each picture replaced by the representative of its copies.

    Args:
        item: The item.
        shown_as: The representative of each picture that has copies.
    """
    if not any(image.image_id in shown_as for image in item.images):
        return item

    def standing(image_id: str | None) -> str | None:
        return image_id if image_id is None else shown_as.get(image_id, image_id)

    images = tuple(
        image.model_copy(
            update={
                "image_id": standing(image.image_id),
                "prompts": tuple(
                    prompt.model_copy(update={"image_id": standing(prompt.image_id)}) for prompt in image.prompts
                ),
            }
        )
        for image in item.images
    )
    choices = tuple(choice.model_copy(update={"image_id": standing(choice.image_id)}) for choice in item.choices)
    return item.model_copy(update={"images": images, "choices": choices})
