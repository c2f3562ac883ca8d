"""Right options that a whole set gives away: a text always right, a mark, an order of options, an order of keys."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from math import exp, lgamma, log, log1p

from benchwright.records import LETTERS
from benchwright.texts.normalization import counted, normal

from ..wording.quantities import quantity
from .fault_rules import ItemFacts, SetFault, SetRule

_BY_CHANCE = 1e-4
"""Largest p-value, over all trials of a rule, at which a set gives its keys away."""
_NEVER_BY_CHANCE, _NEVER_IN_ALL = 1e-3, 2.5e-3
"""Largest probability that a text is right in none of its items at which the text can be ruled out, and the same for a
text of nearly all items, of which a set has one or two."""
_NEARLY_ALL = 0.9
_LEAST_GAIN = 0.2
"""Smallest share of keys, beyond chance, that an order must predict."""
_LEAST_IN_A_TASK = 5
_LEAST_IN_A_CATEGORY = 4
_LONGEST_PERIOD = 12

_MARKS: dict[str, Callable[[str], bool]] = {
    "white space around it": lambda text: text != text.strip(),
    "two blanks in a row": lambda text: "  " in text.strip(),
    "a blank that does not break": lambda text: "\xa0" in text or "\u202f" in text,
    "an invisible character": lambda text: re.search("[\u200b-\u200f\u2060\ufeff\u00ad]", text) is not None,
    "an asterisk": lambda text: re.search(r"^\s*\*|\*\s*$", text) is not None,
    "bold or italic type": lambda text: re.search(r"\*\*.+\*\*|__.+__|</?(?:b|i|em|strong)>", text) is not None,
    "a tick": lambda text: re.search("[✓✔☑✅]", text) is not None,
    "quotation marks": lambda text: re.search("^\\s*[\"“«„'‘].*[\"”»“'’]\\s*$", text) is not None,
    "capitals throughout": lambda text: text.isupper() and sum(map(str.isalpha, text)) > 3,
    "a full stop at its end": lambda text: text.rstrip().endswith((".", "。")),
    "another sign at its end": lambda text: text.rstrip()[-1:] in ",;:!-–_~`'",
    "brackets": lambda text: re.search(r"\([^()]{3,}\)", text) is not None,
    "letters with accents or of another script": lambda text: (
        not text.isascii() and any(sign.isalpha() and not sign.isascii() for sign in text)
    ),
}
"""Marks that an option may have regardless of its content."""


def at_least(hits: int, of: int, chance: float) -> float:
    """Return the probability, 0-1, of at least this many hits among independent tries with equal probability."""
    if hits <= 0 or chance >= 1:
        return 1.0
    if chance <= 0:
        return 0.0
    terms = (
        lgamma(of + 1) - lgamma(k + 1) - lgamma(of - k + 1) + k * log(chance) + (of - k) * log1p(-chance)
        for k in range(hits, of + 1)
    )
    return min(1.0, sum(exp(term) for term in terms))


def _marked(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault for each mark that right options have far more often than wrong ones."""
    marks_of = cache(lambda text: frozenset(mark for mark, has in _MARKS.items() if has(text)))
    options = [
        [(choice is facts.right, marks_of(f" {choice.text}" if choice.key in facts.padded else choice.text or ""))
         for choice in facts.worded]
        for facts in items
    ]  # fmt: skip
    marked = [(place, of_item) for place, of_item in enumerate(options) if any(marks for _, marks in of_item)]
    for mark in _MARKS:
        alone, others, chance = [], 0, 0.0
        for place, of_item in marked:
            having = [is_right for is_right, marks in of_item if mark in marks]
            if not having or len(having) == len(of_item):
                continue
            chance += 1 / len(of_item)
            if len(having) == 1 and having[0]:
                alone.append(place)
            else:
                others += 1
        total = len(alone) + others
        if not total or len(alone) < _NEARLY_ALL * total:
            continue
        if len(_MARKS) * at_least(len(alone), total, chance / total) < _BY_CHANCE:
            example = items[alone[0]].right_text
            yield SetFault(
                alone,
                f"Only the right option has {mark} in {len(alone):,} of the {counted(total, 'item')} in which some "
                f"option has it, such as {example!r}.",
                {"mark": mark, "right": len(alone), "of": total, "example": example},
            )


def _constant(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault for each task in which one text is right in all items, although the options vary."""
    tasks: defaultdict[str, list[int]] = defaultdict(list)
    for place, facts in enumerate(items):
        tasks[facts.item.task].append(place)
    for task, places in tasks.items():
        texts = {normal(items[place].right_text or "") for place in places}
        options = sum(len(items[place].item.choices) for place in places) / len(places)
        if len(places) >= _LEAST_IN_A_TASK and len(texts) == 1 and "" not in texts:
            chance = (1 / options) ** (len(places) - 1)
            if chance < 0.01:
                text = items[places[0]].right_text
                yield SetFault(
                    places,
                    f"{text!r} is right in all {len(places):,} items of the task {task}.",
                    {"task": task, "text": text, "items": len(places)},
                )


def _sort_key(text: str) -> tuple[str, Fraction | str]:
    value = quantity(text)
    return (f"number {value.of}", value.value) if value is not None else ("words", normal(text))


def _out_of_order(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault if all options but one are in order, and that one is right far more often than chance."""
    hits: list[int] = []
    total = 0
    chance = 0.0
    for place, facts in enumerate(items):
        odd = _one_out_of_order([choice.text or "" for choice in facts.worded])
        if odd is not None and len(facts.worded) == len(facts.item.choices):
            total += 1
            chance += 1 / len(facts.worded)
            if facts.worded[odd] is facts.right:
                hits.append(place)
    if not total or len(hits) < chance + _LEAST_GAIN * total:
        return
    if at_least(len(hits), total, chance / total) < _BY_CHANCE:
        yield SetFault(
            hits,
            f"In {counted(total, 'item')} the options are in order except for one, which is right in {len(hits):,}.",
            {"right": len(hits), "of": total, "by_chance": round(chance, 1)},
        )


def _one_out_of_order(texts: Sequence[str]) -> int | None:
    """Return the index of the only option without which the others ascend or descend; None if there is none."""
    keys = [_sort_key(text) for text in texts]
    if len(keys) < 4 or len({kind for kind, _ in keys}) > 1 or len(set(keys)) < len(keys):
        return None
    values = [value for _, value in keys]
    if _is_sorted(values):
        return None
    places = [place for place in range(len(values)) if _is_sorted(values[:place] + values[place + 1 :])]
    return places[0] if len(places) == 1 else None


def _is_sorted(values: Sequence[Fraction | str]) -> bool:
    ordered = sorted(values)
    return list(values) in (ordered, ordered[::-1])


def _never_right(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault for each text that many items offer but that is never the key: solvers can rule it out blindly."""
    offered: defaultdict[str, list[int]] = defaultdict(list)
    for place, facts in enumerate(items):
        if len(facts.worded) > 2:
            for text in {normal(str(choice.text)) for choice in facts.worded}:
                offered[text].append(place)
    for text, places in offered.items():
        chance = 1.0
        for place in places:
            chance *= 1 - 1 / len(items[place].item.choices)
        most = _NEVER_IN_ALL if len(places) >= _NEARLY_ALL * len(items) else _NEVER_BY_CHANCE
        if chance > most or any(normal(items[place].right_text or "") == text for place in places):
            continue
        yield SetFault(
            places,
            f"{text!r} is an option of {counted(len(places), 'item')} and right in none: it can be excluded without "
            "the picture.",
            {"text": text, "items": len(places)},
        )


def _by_alphabet(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault if right options come first, or last, in the alphabet more often than chance.

    Numbers, pairs such as yes and no, and options in this order do not count.
    """
    ranks = []
    for place, facts in enumerate(items):
        texts = [normal(str(choice.text)) for choice in facts.worded]
        is_free = len(texts) > 2 and texts not in (sorted(texts), sorted(texts, reverse=True))
        if is_free and all(text[:1].isalpha() for text in texts) and len(set(texts)) == len(texts):
            ranks.append((place, sorted(texts).index(normal(facts.right_text or "")), len(texts)))
    for what, hits in (
        ("first", [place for place, rank, _ in ranks if rank == 0]),
        ("last", [place for place, rank, of in ranks if rank == of - 1]),
    ):
        chance = sum(1 / of for _, _, of in ranks) / max(1, len(ranks))
        if 2 * at_least(len(hits), len(ranks), chance) <= _BY_CHANCE and len(hits) >= (chance + _LEAST_GAIN) * len(
            ranks
        ):
            yield SetFault(
                hits,
                f"The right option is the {what} by the alphabet in {len(hits) / len(ranks):.0%} of "
                f"{counted(len(ranks), 'item')}; chance would be {chance:.0%}.",
                {"which": what, "share": round(len(hits) / len(ranks), 4), "chance": round(chance, 4)},
            )


def _by_category(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault if categories have a favorite letter each, even if the whole set has none.

    Within each category, every second item is used to determine the favorite letter, and the other items test it, so
    that no item predicts its own key. By chance, a favorite is right no more often than the set's most frequent letter.
    """
    by_category: defaultdict[str, list[int]] = defaultdict(list)
    for place, facts in enumerate(items):
        by_category[facts.item.category or facts.item.task].append(place)
    groups = [places for places in by_category.values() if len(places) >= _LEAST_IN_A_CATEGORY]
    if len(groups) < 2:
        return
    keys = [str(facts.item.right_key) for facts in items]
    foretold, told = [], 0
    for places in groups:
        for half, others in ((places[::2], places[1::2]), (places[1::2], places[::2])):
            favourite = Counter(keys[place] for place in half).most_common(1)[0][0]
            foretold += [place for place in others if keys[place] == favourite]
            told += len(others)
    counts = Counter(keys[place] for places in groups for place in places)
    fewest = min(len(items[place].item.choices) for places in groups for place in places)
    chance = max(counts.most_common(1)[0][1] / told, 1 / fewest)
    share = len(foretold) / told
    if share - chance < _LEAST_GAIN or at_least(len(foretold), told, chance) > _BY_CHANCE:
        return
    shown = {
        name: Counter(keys[place] for place in places).most_common(1)[0][0] for name, places in by_category.items()
    }
    yield SetFault(
        sorted(foretold),
        f"The category of an item predicts {share:.0%} of the keys, where the most frequent letter is right in "
        f"{chance:.0%}: each of {len(groups):,} categories has a favorite letter.",
        {"favourites": dict(list(shown.items())[:20]), "share": round(share, 4), "chance": round(chance, 4)},
    )


def _in_turn(items: Sequence[ItemFacts]) -> Iterator[SetFault]:
    """Yield a fault if keys follow from preceding keys in the source: in turn, with a period, or in long runs."""
    keys = [LETTERS.index(str(facts.item.right_key)) for facts in items]
    options = [len(facts.item.choices) for facts in items]
    shares = [count / len(keys) for count in Counter(keys).values()]
    if len(shares) < 2:
        return
    chance = max(shares)
    best: tuple[int, str, list[int]] | None = None
    for order, hits in _foretold(keys, options):
        if best is None or len(hits) > len(best[2]):
            best = (len(keys), order, hits)
    if best is None:
        return
    _, order, hits = best
    share = len(hits) / len(keys)
    if share >= chance + _LEAST_GAIN and (_LONGEST_PERIOD + 1) * at_least(len(hits), len(keys), chance) < _BY_CHANCE:
        first = "".join(LETTERS[key] for key in keys[:24]) + ("…" if len(keys) > 24 else "")
        yield SetFault(
            hits,
            f"The order of the items in their file predicts {share:.0%} of the keys: {order} ({first}).",
            {"keys": first, "foretold": len(hits), "of": len(keys)},
        )


def _foretold(keys: Sequence[int], options: Sequence[int]) -> Iterator[tuple[str, list[int]]]:
    """Yield orders of keys with the indices that they predict."""
    yield (
        "each key is the letter after the previous one",
        [place for place in range(1, len(keys)) if keys[place] == (keys[place - 1] + 1) % options[place]],
    )
    yield (
        "items with equal keys are adjacent",
        [place for place in range(1, len(keys)) if keys[place] == keys[place - 1]],
    )
    for period in range(2, _LONGEST_PERIOD + 1):
        if len(keys) >= 3 * period:
            yield (
                f"the keys repeat after every {period} items",
                [place for place in range(period, len(keys)) if keys[place] == keys[place - period]],
            )


RULES = (
    SetRule(
        "mark_of_right_options",
        "given_away",
        "high",
        "a blank, a dot, quotation marks or another mark that only right options have in nearly all items where an "
        "option has it",
        _marked,
        ("key", "options"),
    ),
    SetRule(
        "one_text_always_right",
        "given_away",
        "high",
        "one text is right in all items of a task (five or more)",
        _constant,
        ("key", "options"),
        "certain",
    ),
    SetRule(
        "right_option_out_of_order",
        "given_away",
        "medium",
        "options ascend, descend or are in alphabetical order except for one, which is right more often than chance "
        "allows",
        _out_of_order,
        ("key", "options"),
    ),
    SetRule(
        "keys_in_turn",
        "given_away",
        "medium",
        "the place of an item in its file predicts its key: `ABCD ABCD`, all A and then all B",
        _in_turn,
        ("key",),
    ),
    SetRule(
        "one_text_never_right",
        "given_away",
        "medium",
        "a text is an option of many items and right in none of them, such as `none of the above`",
        _never_right,
        ("key", "options"),
    ),
    SetRule(
        "right_option_by_alphabet",
        "given_away",
        "medium",
        "right options are alphabetically first or last more often than chance allows, regardless of their place",
        _by_alphabet,
        ("key", "options"),
    ),
    SetRule(
        "keys_by_category",
        "given_away",
        "medium",
        "each category has a favorite letter, which predicts other keys of the category more often than the most "
        "frequent letter of the set does",
        _by_category,
        ("key",),
    ),
)
