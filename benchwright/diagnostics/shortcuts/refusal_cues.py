"""How well a question alone reveals that its picture does not answer it, and the question templates that reveal it.

A set with a refusal choice measures whether a model knows what it cannot see. If the words of unanswerable questions
differ from those of answerable ones, a model that declines by the words alone scores like one that looks at the
picture. The classifier of the text-only baseline sees only the question's words, neither options nor task. Questions
about the same picture or in the same group are in the same fold, so that the classifier answers only questions from
which it has not learned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from benchwright.records import Item
from benchwright.statistics import holm, share_right
from benchwright.statistics.components import components_of
from benchwright.statistics.paired_difference import compare_pair
from benchwright.statistics.score_interval import Interval
from benchwright.texts.normalization import counted, normal

from .cue_table import with_source_image
from .text_only_baseline import ItemWords, folds_of, held_out_guesses

ANSWERABLE, UNANSWERABLE = "answerable", "unanswerable"
LEAST_OF_EACH = 10
"""Smallest numbers of answerable and of unanswerable questions for a result."""
MIN_P = 0.05
MAX_GAIN = 0.05
"""Distance from chance, 0-1, up to which questions reveal nothing."""
_KEYS = ("A", "B")
_PURE = 0.9
"""Proportion of a template's questions, 0-1, that must be of one kind for the template to reveal that kind."""
_LEAST_OF_TEMPLATE, _LEAST_GROUPS = 6, 4
_TEMPLATE_P = 0.01
_MOST_TEMPLATES = 20
_LONGEST_BEGINNING = 5
_COMMON = 0.02
"""Proportion of all questions above which a word belongs to templates instead of filling them."""
_GAP = "…"


class RefusableQuestion(NamedTuple):
    """A question of an item with a refusal choice.

    Args:
        item_id: Id of the item.
        text: The question.
        is_answerable: Whether another option is right.
        group_keys: Keys that the item shares with others: its source image, scene, pair.
    """

    item_id: str
    text: str
    is_answerable: bool
    group_keys: tuple[str, ...]


class TellingTemplate(NamedTuple):
    """A template whose questions are nearly all answerable, or nearly all unanswerable.

    Args:
        words: The template, with `…` where its questions differ.
        tells: `answerable` or `unanswerable`.
        item_ids: Ids of the items whose questions are of that kind.
        of: Number of the template's questions.
        p: Probability, 0-1, over all templates tried, of that many questions of one kind by chance.
    """

    words: str
    tells: str
    item_ids: tuple[str, ...]
    of: int
    p: float


class RefusalCues(NamedTuple):
    """How well questions reveal whether they are answerable.

    Args:
        items: Number of questions.
        unanswerable: Number of questions that nothing in the picture answers.
        accuracy: Proportion, 0-1, of questions that the classifier correctly calls answerable or unanswerable.
        interval: 95 % interval of that proportion, by groups of linked questions.
        chance: Share of the more frequent kind: the accuracy of always naming it.
        p: p-value of the difference between accuracy and chance, by groups.
        guessed: Ids of the unanswerable questions that the classifier calls unanswerable.
        false_refusals: Number of answerable questions that the classifier calls unanswerable.
        templates: Revealing templates, those with the most questions first; each question counts for only one template.
    """

    items: int
    unanswerable: int
    accuracy: float
    interval: Interval
    chance: float
    p: float
    guessed: tuple[str, ...]
    false_refusals: int
    templates: tuple[TellingTemplate, ...]

    @property
    def tells(self) -> bool:
        """Return whether the classifier beats chance by more than the bound, and significantly so."""
        return self.accuracy - self.chance > MAX_GAIN and self.p < MIN_P

    @property
    def summary(self) -> str:
        """Return a one-sentence summary of the result."""
        return (
            f"For {self.accuracy:.0%} of {counted(self.items, 'question')} (95 % interval {self.interval[0]:.0%} to "
            f"{self.interval[1]:.0%}), the words alone reveal whether the picture answers the question; always naming "
            f"the more common kind is right for {self.chance:.0%}. Of {self.unanswerable:,} unanswerable questions, "
            f"{len(self.guessed):,} are recognized without the picture."
        )

    def to_json(self, own_ids: Mapping[str, str]) -> dict[str, Any]:
        """Return the result as JSON values.

        Args:
            own_ids: Ids of questions in their source, by item id.
        """
        return {
            "items": self.items,
            "unanswerable": self.unanswerable,
            "accuracy": round(self.accuracy, 4),
            "ci": [round(end, 4) for end in self.interval],
            "chance": round(self.chance, 4),
            "p": float(f"{self.p:.3g}"),
            "tells": self.tells,
            "guessed": len(self.guessed),
            "false_refusals": self.false_refusals,
            "templates": [
                {
                    "words": each.words,
                    "tells": each.tells,
                    "items": [own_ids.get(item_id, item_id) for item_id in each.item_ids],
                    "of": each.of,
                    "p": each.p,
                }
                for each in self.templates
            ],
        }


def refusable(item: Item) -> RefusableQuestion | None:
    """Return the question of an item with a key and a refusal choice; None for any other item."""
    if item.refusal is None or item.right_key is None:
        return None
    groups = with_source_image(item.group_keys, item.root_image_id)
    return RefusableQuestion(item.item_id, item.question, item.answered_key is not None, groups)


def refusal_cues(questions: Iterable[RefusableQuestion]) -> RefusalCues | None:
    """Return how well questions reveal whether they are answerable; None if there are too few of either kind.

    Args:
        questions: Questions, in any order.
    """
    ordered = sorted(questions, key=lambda question: question.item_id)
    kinds = Counter(question.is_answerable for question in ordered)
    if min(kinds[True], kinds[False]) < LEAST_OF_EACH:
        return None
    options = tuple(zip(_KEYS, (ANSWERABLE, UNANSWERABLE), strict=True))
    words = [
        ItemWords(each.item_id, "", each.text, options, _KEYS[not each.is_answerable], each.group_keys)
        for each in ordered
    ]
    guesses = held_out_guesses(words, folds_of(words))
    is_right = np.array([guess == word.key for guess, word in zip(guesses, words, strict=True)])
    common = kinds[True] >= kinds[False]
    by_majority = np.array([each.is_answerable == common for each in ordered])
    group = np.array(list(components_of(each.group_keys for each in ordered)))
    estimate = share_right(is_right.astype(np.int64), np.unique(group, return_inverse=True)[1])
    pair = compare_pair(is_right, by_majority, np.unique(group, return_inverse=True)[1])
    assert estimate.value is not None
    assert estimate.interval is not None
    assert pair is not None
    called = [each for each, guess in zip(ordered, guesses, strict=True) if guess == _KEYS[1]]
    return RefusalCues(
        len(ordered),
        kinds[False],
        estimate.value,
        estimate.interval,
        max(kinds.values()) / len(ordered),
        pair.p,
        tuple(each.item_id for each in called if not each.is_answerable),
        sum(each.is_answerable for each in called),
        tuple(telling_templates(ordered, group.tolist())),
    )


def telling_templates(questions: Sequence[RefusableQuestion], groups: Sequence[int]) -> Iterator[TellingTemplate]:
    """Yield the templates that reveal whether their questions are answerable, those with the most questions first.

    A template is a beginning of two to five words, or the whole question with its rarer words replaced by gaps. A
    question is counted only for the first template that matches it.

    Args:
        questions: The questions.
        groups: Index of each question's group.
    """
    members: defaultdict[str, list[int]] = defaultdict(list)
    for place, templates in enumerate(_templates_of([question.text for question in questions])):
        for template in templates:
            members[template].append(place)
    share = sum(not question.is_answerable for question in questions) / len(questions)
    tried: list[tuple[str, str, list[int], float]] = []
    for template, places in members.items():
        if len(places) < _LEAST_OF_TEMPLATE or len({groups[place] for place in places}) < _LEAST_GROUPS:
            continue
        unanswerable = sum(not questions[place].is_answerable for place in places)
        tells = UNANSWERABLE if 2 * unanswerable >= len(places) else ANSWERABLE
        of_kind, chance = (
            (unanswerable, share) if tells == UNANSWERABLE else (len(places) - unanswerable, 1 - share)
        )  # fmt: skip
        tried.append((template, tells, places, _by_chance(of_kind, len(places), chance)))
    adjusted = holm([p for *_, p in tried])
    telling = [
        (template, tells, places, p)
        for (template, tells, places, _), p in zip(tried, adjusted, strict=True)
        if p < _TEMPLATE_P
    ]
    left = set(range(len(questions)))
    for _ in range(_MOST_TEMPLATES):
        best: tuple[int, TellingTemplate, frozenset[int]] | None = None
        for template, tells, places, p in telling:
            still = [place for place in places if place in left]
            of_kind_ids = [
                questions[place].item_id
                for place in still
                if questions[place].is_answerable == (tells == ANSWERABLE)
            ]  # fmt: skip
            if len(still) < _LEAST_OF_TEMPLATE or len(of_kind_ids) < _PURE * len(still):
                continue
            if best is None or (len(of_kind_ids), len(template)) > (best[0], len(best[1].words)):
                found = TellingTemplate(template, tells, tuple(of_kind_ids), len(still), float(f"{p:.3g}"))
                best = len(of_kind_ids), found, frozenset(still)
        if best is None:
            return
        left -= best[2]
        yield best[1]


def _by_chance(hits: int, of: int, chance: float) -> float:
    from scipy.stats import binom

    return float(binom.sf(hits - 1, of, chance))


def _templates_of(texts: Sequence[str]) -> Iterator[set[str]]:
    """Yield the templates of each question."""
    worded = [normal(text).split() for text in texts]
    counts = Counter(word for words in worded for word in set(words))
    least = max(_LEAST_OF_TEMPLATE, ceil(_COMMON * len(texts)))
    for words in worded:
        templates = {f"{' '.join(words[:size])} {_GAP}" for size in range(2, min(len(words), _LONGEST_BEGINNING + 1))}
        kept = [word if counts[word] >= least else _GAP for word in words]
        merged = [word for at, word in enumerate(kept) if word != _GAP or at == 0 or kept[at - 1] != _GAP]
        if sum(word != _GAP for word in merged) > 1:
            templates.add(" ".join(merged))
        yield templates
