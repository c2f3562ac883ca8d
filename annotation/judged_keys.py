"""What a campaign on doubted keys found: items on which most annotators agree, and the errata among them."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from benchwright.release.format.errata import Erratum

from .answers_given import Results, fields_in
from .kinds import KEY_RIGHT, KEY_WRONG
from .rounds import votes_in
from .settlement import OPEN, policy_of, settle
from .store import Annotation, Task
from .store.payloads import item_in


class Settled(NamedTuple):
    """An item on which enough of the annotators asked agree: more than half of them."""

    task: Task
    finding: str
    instead: str | None
    agreed: int
    asked: int
    reasons: tuple[str, ...]


def settled(results: Results) -> list[Settled]:
    """Return the items whose answers are all in and on whose finding more than half agree, by item id."""
    by_item: dict[str, list[Annotation]] = {}
    for one in results.said:
        by_item.setdefault(one.item_id, []).append(one)
    found = []
    policy = policy_of(results.campaign)
    for item_id, said in sorted(by_item.items()):
        votes = votes_in(policy, said)
        finding = settle(policy, votes) if results.tasks[item_id].state == "done" else OPEN
        if finding not in policy.decisions:
            continue
        agreed = votes.decisions[finding]
        same = [fields_in(one) for one in said if fields_in(one)["finding"] == finding]
        letter, times = Counter(one.get("instead") for one in same).most_common(1)[0]
        instead = letter if finding == KEY_WRONG and 2 * times > len(said) else None
        reasons = tuple(sorted(one["reason"] for one in same if one.get("reason")))
        found.append(Settled(results.tasks[item_id], finding, instead, agreed, len(said), reasons))
    return found


def errata_of(results: Results) -> list[Erratum]:
    """Return the errata that a campaign found: items whose annotators agree by majority that something is wrong.

    Where they agree that the key is wrong, and by majority on the same letter instead, the erratum names it.
    """
    found = []
    for one in settled(results):
        if one.finding == KEY_RIGHT:
            continue
        item = item_in(one.task.payload)
        found.append(
            Erratum.model_validate(
                {
                    "item_id": one.task.item_id, "content_hash": one.task.content_hash,
                    "release": results.campaign.settings["release"],
                    "release_id": results.campaign.settings["release_id"], "finding": one.finding,
                    "key": item["answer"] or item["refusal"], "instead": one.instead, "agreed": one.agreed,
                    "asked": one.asked, "reasons": one.reasons,
                }
            )
        )  # fmt: skip
    return found
