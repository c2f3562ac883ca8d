"""What several checks of one audit look at: measures of pictures, copies, replies, and the item filters' report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from benchwright.canonical import digest
from benchwright.diagnostics.keys.suspected_keys import PeopleAnswers
from benchwright.replies.model_replies import (
    LetterMatrix,
    ModelReplies,
    given_twice,
    letter_matrix,
    read_replies,
    votes_of,
)
from benchwright.text_normalization import counted

from .check import CheckSkipped, needs_words
from .copies import PictureCopies, find_copies
from .picture_measures import PictureMeasures, measured_pictures

if TYPE_CHECKING:
    from benchwright.filters.items.report import ItemReport
    from benchwright.records import Item
    from benchwright.text_only_baseline import ItemWords

    from .audited_items import AuditedItem, AuditedItems
    from .check import AuditContext

MEASURES = "measures"
"""Name of the measures of pictures among what checks share."""
_SIMILAR = "audit similar options 2"
_LEARNED, _RULED = "audit learned picks 1", "audit rules over words 1"
MOST_LEARNED = 1000
"""Items of which learners see a sample where there are more: enough to tell five points of accuracy from chance."""
NO_PICTURES = "no picture of the source can be read; give their folder with --pictures"


class BroughtReplies(NamedTuple):
    """Replies brought along for an audit, by the source or by the user.

    Args:
        matrix: Replies of models; without any, a matrix of no rows.
        people: Answers of people; None where none were given.
        read: Replies as read, of models and of people.
        repeated: Names under which a model was given once more, which count nowhere, each with the name that counts.
    """

    matrix: LetterMatrix
    people: PeopleAnswers | None
    read: tuple[ModelReplies, ...]
    repeated: Mapping[str, str]


def brought_replies(audited: AuditedItems, context: AuditContext) -> BroughtReplies:
    """Return the replies that stand beside the questions and those that were given, read once for all checks.

    A file that is given under the name of a model beside the questions stands for that model's replies there.

    Raises:
        DataError: A file holds no replies to these items.
    """
    return context.shared("replies", lambda: _read_replies(audited, context))


def _read_replies(audited: AuditedItems, context: AuditContext) -> BroughtReplies:
    items = [each.keyed_item for each in audited.all_items]
    given = [replies for name, path in context.replies for replies in read_replies(path, items, model=name)]
    named = {replies.model for replies in given}
    models = [*(replies for replies in audited.replies if replies.model not in named), *given]
    people = [replies for path in context.people for replies in read_replies(path, items)]
    answers = PeopleAnswers(votes_of(people, items)) if people else None
    repeated = given_twice(models, items)
    matrix = letter_matrix(items, [replies for replies in models if replies.model not in repeated])
    return BroughtReplies(matrix, answers, (*models, *people), repeated)


def needs_pictures(audited: AuditedItems) -> None:
    """Raise `CheckSkipped` where no picture of the source can be read."""
    if not audited.pictures:
        needs_words(audited)
        raise CheckSkipped(NO_PICTURES)


def picture_measures(audited: AuditedItems, context: AuditContext) -> Mapping[str, PictureMeasures]:
    """Return the measures of all pictures, by id.

    Raises:
        CheckSkipped: There is no picture.
    """
    needs_pictures(audited)
    return context.shared(MEASURES, lambda: measured_pictures(list(audited.pictures.values()), context))


def readable_pictures(audited: AuditedItems, context: AuditContext) -> Mapping[str, PictureMeasures]:
    """Return the measures of all pictures that can be decoded, by id.

    Raises:
        CheckSkipped: There is no such picture, so that nothing would be looked at.
    """
    measured = picture_measures(audited, context)
    readable = {image_id: measures for image_id, measures in measured.items() if measures.failed is None}
    if not readable:
        raise CheckSkipped(f"of {counted(len(audited.pictures), 'picture')} none can be decoded")
    return readable


def picture_copies(audited: AuditedItems, context: AuditContext) -> PictureCopies:
    """Return which pictures show the same.

    Raises:
        CheckSkipped: There is no picture.
    """
    measures = picture_measures(audited, context)
    return context.shared("copies", lambda: find_copies(audited.pictures, measures, context))


def item_report(audited: AuditedItems, context: AuditContext) -> ItemReport:
    """Return the report of the item filters; pictures that are copies count as one.

    Raises:
        CheckSkipped: The source has no words of its questions.
    """
    from benchwright.diagnostics.shortcuts.wording_rules import RuleResult, learned_picks, rule_results
    from benchwright.filters.items.repeated_options import repeated_pairs
    from benchwright.filters.items.report import OptionPair, report_on, similar_options
    from benchwright.filters.items.wording_bias import WordingBias

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
            return rule_results(items, per=WordingBias().per, seed=0, most_learned=MOST_LEARNED, learned=learned)

        words = [
            [item.item_id, item.task, item.question, item.right_key, item.group_keys]
            + [[choice.key, choice.text] for choice in item.choices]
            for item in items
        ]
        return [
            RuleResult(*row)._replace(interval=(row[4][0], row[4][1]), rows=tuple(row[7]))
            for row in context.kept(_RULED, words, results)
        ]

    def report() -> ItemReport:
        shown_as = picture_copies(audited, context).shown_as if audited.pictures else {}
        ending = shared_ending([each.item.question for each in audited.items])

        def normal_form(each: AuditedItem) -> Item:
            item = without_ending(with_one_picture_a_copy(each.item, shown_as), ending)
            repeated_pairs(item), similar(item)  # an item that cannot be looked at is in no report
            return item

        items = [item for _, item in context.look_at_each(audited.items, normal_form)]
        return report_on(items, similar=similar, rules=rules)

    needs_words(audited)
    return context.shared("item_report", report)


def shared_ending(questions: Sequence[str]) -> str:
    """Return the last line, such as `Please answer yes or no.`, that most questions of several lines end with.

    Such an instruction makes different questions look alike. Empty where there is none.
    """
    endings = Counter(question.rpartition("\n")[2] for question in questions if "\n" in question.strip())
    if not endings:
        return ""
    ending, count = endings.most_common(1)[0]
    return ending if count > 1 and 2 * count >= len(questions) else ""


def without_ending(item: Item, ending: str) -> Item:
    """Return an item with its question as it is before an instruction in a line of its own."""
    if not ending or not item.question.endswith(f"\n{ending}"):
        return item
    question = item.question.removesuffix(f"\n{ending}").strip()
    return item.model_copy(update={"question": question}) if question else item


def with_one_picture_a_copy(item: Item, shown_as: Mapping[str, str]) -> Item:
    """Return an item with each picture replaced by the one that stands for all its copies.

    Args:
        item: The item.
        shown_as: The picture that stands for it, for each that has copies.
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
