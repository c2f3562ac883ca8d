"""Signs of contamination in the words of replies: the canary, and texts that no model was shown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from benchwright.questions.own_ids import own_id
from benchwright.texts.normalization import counted

from ..results.judged_predictions import open_judged
from .signs import ModelSign, Sign

if TYPE_CHECKING:
    from benchwright.release import Release

    from .runs import HealthRuns

_LONG_RUN = 8
"""Number of consecutive words of an explanation that do not occur in a reply by chance."""
_LEAST_ID = 8
"""Length of an id, containing a digit and a letter, that does not occur in a reply by chance."""
_WORD = re.compile(r"\w+")


class _HiddenText:
    """The texts of an item that its question does not show: sequences of words from its explanation, and its ids."""

    def __init__(self, shown: str, explanation: str | None, ids: tuple[str, ...]) -> None:
        own = _runs_of_words(shown)
        self.runs = _runs_of_words(explanation or "") - own
        self.ids = tuple(name for name in ids if _is_telling(name) and name not in shown)

    def occurs_in(self, reply: str) -> bool:
        """Return whether a reply contains any of these texts."""
        return any(name in reply for name in self.ids) or (
            bool(self.runs) and len(reply) > _LONG_RUN and not self.runs.isdisjoint(_runs_of_words(reply))
        )


def texts_in_replies(runs: HealthRuns, release: Release, release_path: str) -> tuple[Sign, Sign]:
    """Return whether replies contain the release's canary, and whether they contain texts that no model was shown."""
    hidden = _hidden_texts(release, runs.sheet.scores[0].split)
    canary = release.canary.lower()
    with_words = 0
    found: dict[str, tuple[dict[str, int], set[str]]] = {"canary": ({}, set()), "hidden": ({}, set())}
    asked: dict[str, int] = {}
    for row in range(len(runs.sheet.scores)):
        name = runs.sheet.scores[row].title
        for item_id, reply in _replies(runs, row):
            with_words += 1
            asked[name] = asked.get(name, 0) + 1
            for kind, holds in (
                ("canary", canary in reply.lower()),
                ("hidden", item_id in hidden and hidden[item_id].occurs_in(reply)),
            ):
                if holds:
                    counts, items = found[kind]
                    counts[name] = counts.get(name, 0) + 1
                    items.add(item_id)
    command = f"benchwright evaluate run {release_path} --model MODEL --out RESULTS"
    if not with_words:
        missing = "needs replies in words; these results hold only letters"
        return Sign("canary", False, missing, command), Sign("hidden_texts", False, missing, command)
    order = runs.sheet.items.column("item_id").to_pylist()

    def sign(kind: str) -> tuple[tuple[ModelSign, ...], tuple[str, ...]]:
        counts, items = found[kind]
        models = tuple(ModelSign(name, n / asked[name], None, 0.0, asked[name], 0.0) for name, n in counts.items())
        return models, tuple(item_id for item_id in order if item_id in items)

    replies = counted(with_words, "reply", "replies")
    models, named = sign("canary")
    first = Sign("canary", True, f"in replies to {counted(len(named), 'item')}, of {replies}", None, models, named)
    if not any(text.runs or text.ids for text in hidden.values()):
        return first, Sign("hidden_texts", False, "the items have neither explanations nor source ids", None)
    models, named = sign("hidden")
    words = f"{counted(len(named), 'item')} whose explanation or id occurs in a reply, of {replies}"
    return first, Sign("hidden_texts", True, words, None, models, named)


def completion() -> Sign:
    """Return the sign for completed questions, which states that models were not asked to complete any."""
    return Sign(
        "completion",
        False,
        "needs replies to questions cut off in the middle, which no protocol here asks; all replies are searched "
        "for other texts of the items",
    )


def _hidden_texts(release: Release, split: str | None) -> Mapping[str, _HiddenText]:
    hidden = {}
    for released in release.items(split, pictures_of=()):
        item = released.item
        shown = " ".join([item.question, *(choice.text or "" for choice in item.choices)])
        source_id = own_id(item.attributes)
        ids = (item.item_id, *((source_id,) if source_id else ()))
        hidden[item.item_id] = _HiddenText(shown, item.explanation, ids)
    return hidden


def _replies(runs: HealthRuns, row: int) -> Iterator[tuple[str, str]]:
    """Yield the item and text of every reply in a run, including those of all attempts."""
    with open_judged(runs.stored[row].folder, runs.stored[row].score) as file:
        columns = [name for name in ("item_id", "reply", "attempts") if name in file.schema.names]
        for batch in file.batches(columns, at_once=1024):
            for judged in batch.to_pylist():
                for reply in _texts(judged):
                    yield judged["item_id"], reply


def _texts(judged: Mapping[str, Any]) -> Iterator[str]:
    texts = [judged.get("reply"), *(attempt["reply"] for attempt in judged.get("attempts") or ())]
    yield from dict.fromkeys(text for text in texts if text)


def _runs_of_words(text: str) -> frozenset[tuple[str, ...]]:
    words = _WORD.findall(text.lower())
    return frozenset(tuple(words[k : k + _LONG_RUN]) for k in range(len(words) - _LONG_RUN + 1))


def _is_telling(name: str) -> bool:
    has_both = any(map(str.isdigit, name)) and any(map(str.isalpha, name))
    return len(name) >= _LEAST_ID and has_both
