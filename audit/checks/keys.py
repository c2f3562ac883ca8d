"""Checks of keys: keys that the replies of models and people contradict, and ambiguous items."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from benchwright.diagnostics.keys.ambiguous_items import ambiguous_items
from benchwright.diagnostics.keys.doubted_tasks import DoubtedTask, doubted_tasks
from benchwright.diagnostics.keys.suspected_keys import (
    LIKELY,
    NEARLY_SURE,
    Evidence,
    SuspectedKey,
    evidence,
    suspected_keys,
)
from benchwright.records import LETTERS
from benchwright.texts.normalization import counted

from ..check import AuditContext, CheckSkipped, require_enough
from ..evidence import GivenReplies, given_replies
from ..findings.finding import Finding
from ..source.audited_items import AuditedItem, AuditedItems

_LEAST_MODELS = 2
_SHOWN = 20
_WHO = {"models": "Able models", "people": "People", "people_and_models": "People and able models"}
_BRING = "give those of two models or more with --replies NAME=FILE"
_NONE = f"no replies are given or lie next to the questions: {_BRING}"
_TO_NO_KEY = "no reply belongs to an item with a key"
DOUBTS = {
    "joined": "keys_of_task_mixed_up",
    "far_apart": "keys_of_task_contradicted",
    "many_wrong": "many_wrong_keys_of_task",
    "at_chance": "task_at_chance",
}
"""Kind of the finding for each reason for which a task is in doubt."""


def _with_voices(audited: AuditedItems, context: AuditContext) -> GivenReplies:
    """Return the replies if they come from two or more models or include people's answers.

    Raises:
        CheckSkipped: There are fewer than two models, and no people.
    """
    given = given_replies(audited, context)
    models = given.matrix.models
    if given.people is None and len(models) < _LEAST_MODELS:
        raise CheckSkipped(f"the only replies are of {models[0]}: {_BRING}" if models else _NONE)
    return given


class UnreadReplies:
    """Rows of replies that cannot be read, and models whose replies are given twice."""

    name: ClassVar[str] = "replies"
    title: ClassVar[str] = "Given replies that cannot be read, or repeat a model"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding for each file with rows that are unused or name no option, and for each model whose replies
        are given twice.

        Raises:
            CheckSkipped: No replies were given.
        """
        given = given_replies(audited, context)
        if not given.read:
            raise CheckSkipped(_NONE)
        for name, same in given.repeated.items():
            count = next(len(replies.letters) for replies in given.read if replies.model == name)
            yield Finding(
                "model_given_twice",
                "medium",
                (),
                f"{name!r} and {same!r} gave equal replies ({counted(count, 'reply', 'replies')}), including errors: "
                f"they are one model, which counts once, as {same!r}.",
                {"model": name, "counted_as": same, "replies": count},
            )
        for replies in given.read:
            if replies.unread or replies.elsewhere or replies.texts:
                yield Finding(
                    "unread_replies",
                    "low",
                    (),
                    str(replies),
                    {
                        "model": replies.model,
                        "replies": len(replies.letters),
                        "without_an_option": len(replies.texts),
                        "of_no_item": replies.elsewhere,
                        "unread": len(replies.unread),
                        "rows": [row._asdict() for row in replies.unread[:_SHOWN]],
                        "texts": dict(list(replies.texts.items())[:_SHOWN]),
                    },
                    "certain",
                )


class SuspectedKeys:
    """Keys that the replies contradict."""

    name: ClassVar[str] = "suspected_keys"
    title: ClassVar[str] = "Keys that models and people contradict, by evidence"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding for each suspected key, the one most likely to be wrong first.

        Raises:
            CheckSkipped: There are fewer than two models, and no people; or no item has a key.
        """
        require_enough(audited.all_keyed, 1, of="items with a key")
        given = _with_voices(audited, context)
        if given.people is None and not given.matrix.scored.any():
            raise CheckSkipped(f"{_TO_NO_KEY}: {_BRING}")
        for rank, suspect in enumerate(ranked(audited, context), start=1):
            if suspect.is_supported:
                yield _suspicion(rank, suspect, audited.by_id.get(suspect.item_id))


def ranked(audited: AuditedItems, context: AuditContext) -> list[SuspectedKey]:
    """Return all items that have a key and a reply, the one most likely to have a wrong key first."""
    given = given_replies(audited, context)
    found = _evidence(audited, context)
    return context.shared("ranked keys", lambda: suspected_keys(given.matrix, given.people, found=found))


def _evidence(audited: AuditedItems, context: AuditContext) -> Evidence:
    given = given_replies(audited, context)
    return context.shared("evidence on keys", lambda: evidence(given.matrix, given.people))


class DoubtedTasks:
    """Tasks whose keys are doubtful as a whole: mixed up by a join, often wrong, or too difficult for all models."""

    name: ClassVar[str] = "keys_of_tasks"
    title: ClassVar[str] = "Tasks whose keys are all in doubt, and the mistake that would explain them"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding for each task.

        Raises:
            CheckSkipped: There are fewer than two models, or no reply is to an item with a key.
        """
        require_enough(audited.all_keyed, 1, of="items with a key")
        given = given_replies(audited, context)
        matrix = given.matrix
        if len(matrix.models) < _LEAST_MODELS:
            raise CheckSkipped(f"the only replies are of {matrix.models[0]}: {_BRING}" if matrix.models else _NONE)
        if not matrix.scored.any():
            raise CheckSkipped(f"{_TO_NO_KEY}: {_BRING}")
        for doubted in doubted_tasks(matrix, _evidence(audited, context).shares):
            items = tuple(matrix.item_ids[place] for place in doubted.agreement.places.tolist())
            yield Finding(
                DOUBTS[doubted.doubt],
                "high" if doubted.is_grave else "medium",
                audited.in_order(items),
                _doubt_words(doubted, matrix.tasks[doubted.task]),
                doubted.to_json(matrix),
                "likely" if doubted.is_grave else "possible",
            )


def _doubt_words(doubted: DoubtedTask, task: str) -> str:
    named = f"Task {task}" if task else "The set"
    agreement, share, join = doubted.agreement, doubted.share, doubted.join
    count = counted(len(agreement.places), "item")
    if doubted.doubt == "at_chance":
        return (
            f"{named}: no model beats chance on its {count} (the best has {doubted.best:.0%}, chance "
            f"{doubted.chance:.0%}), though models beat it elsewhere. Either it is too hard for all of them, or its "
            "keys are wrong; these replies cannot show which. Check some 20 keys by hand before you report its "
            "scores."
        )
    words = (
        f"{named}: {counted(len(agreement.models), 'model')} agree with one another ({agreement.among:.2f}, chance 0) "
        f"far more than with the keys of its {count} ({agreement.with_keys:.2f})."
    )
    if join is not None:
        return (
            f"{words} One mistake would explain it: {join.words}. Undoing it makes {join.sets_right:,} keys agree "
            f"with most models and {join.sets_wrong:,} no longer. Check how keys, or pictures, were joined."
        )
    if share is not None:
        words += f" Some {share.value:.0%} of its keys are wrong ({share.low:.0%} to {share.high:.0%})."
    return f"{words} No shift and no other order explains it: check the source of the keys."


def _suspicion(rank: int, suspect: SuspectedKey, each: AuditedItem | None) -> Finding:
    key, favoured = (LETTERS[place] for place in (suspect.key, suspect.favoured))
    models = len(suspect.for_key) + len(suspect.for_favoured) + suspect.others
    people = suspect.votes_for_key + suspect.votes_for_favoured
    voices = [
        f"{of_favoured} {who} for {favoured} and {of_key} for {key}"
        for who, asked, of_favoured, of_key in (
            ("models", models, len(suspect.for_favoured), len(suspect.for_key)),
            ("people", people, suspect.votes_for_favoured, suspect.votes_for_key),
        )
        if asked
    ]
    return Finding(
        "suspected_key",
        "high" if suspect.probability >= NEARLY_SURE else "medium" if suspect.probability >= LIKELY else "low",
        (suspect.item_id,),
        f"The key is {key}, but {favoured} may be right: {', '.join(voices)}. The key is wrong with a probability of "
        f"{'99 % or more' if suspect.probability >= 0.99 else f'{suspect.probability:.0%}'}.",
        {
            "rank": rank,
            "key": key,
            "favoured": favoured,
            "probability": round(suspect.probability, 4),
            "log_odds": round(suspect.log_odds, 3),
            "gave_favoured": list(suspect.for_favoured),
            "gave_key": list(suspect.for_key),
            "gave_another": suspect.others,
            "people_for_favoured": suspect.votes_for_favoured,
            "people_for_key": suspect.votes_for_key,
            "discrimination_of_key": suspect.key_discrimination,
            "discrimination_of_favoured": suspect.favoured_discrimination,
            **({} if each is None else {"options": {choice.key: choice.text for choice in each.item.choices}}),
        },
        "likely" if suspect.probability >= LIKELY else "possible",
    )


class AmbiguousItems:
    """Items on which people or capable models are split between two options."""

    name: ClassVar[str] = "ambiguous_items"
    title: ClassVar[str] = "Items on which people, or able models, split between two options"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return one finding for each item, those on which people are split first.

        Raises:
            CheckSkipped: There are fewer than two models, and no people.
        """
        given = _with_voices(audited, context)
        if given.people is None and not given.matrix.scored.any():
            raise CheckSkipped(f"{_TO_NO_KEY}, so it is unknown which models are capable: {_BRING}")
        for item in ambiguous_items(given.matrix, given.people):
            first, second = (LETTERS[place] for place in item.options)
            who = {"models": "Able models", "people": "People", "people_and_models": "People and able models"}[
                item.split
            ]
            yield Finding(
                "ambiguous_item",
                "low" if item.split == "models" else "medium",
                (item.item_id,),
                f"{who} split between {first} ({item.shares[0]:.0%}) and {second} ({item.shares[1]:.0%}).",
                {
                    "options": [first, second],
                    "shares": [round(share, 4) for share in item.shares],
                    "split": item.split,
                    "models": {first: list(item.models[0]), second: list(item.models[1])},
                    "people": {first: item.votes[0], second: item.votes[1]},
                    "p": item.p_value,
                },
                "possible",
            )
