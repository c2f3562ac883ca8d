"""From what people said of pairs to verdicts on images: of the same picture, the better image stays."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import Any, NamedTuple

from benchwright.errors import StepError
from benchwright.overrides import AGAINST
from benchwright.steps import Outcome, Verdicts

from .kinds import PAIR
from .pair_form import DIFFERENT, SAME
from .rules import Rule
from .store import Annotation
from .votes import Votes

DROPPED_AS, UNDECIDED = "same_picture", "no_agreement"


class AskedPair(NamedTuple):
    """Two images that may be the same picture.

    Args:
        pair_id: Of the two, whichever is the better.
        better: Image that stays if they are.
        other: Image that goes then.
    """

    pair_id: str
    better: str
    other: str


def paired(
    rule: Rule, images: Iterable[str], pairs: Sequence[AskedPair], said: Sequence[Annotation], *,
    known: Mapping[str, str], simulated: bool, seed: int,
) -> Verdicts:  # fmt: skip
    """Return the verdicts of a campaign whose pairs are all decided, for every image.

    An image is dropped only against an image that stays and that people saw beside it: in a chain of three whose first
    two are the same, and whose last two are, the first and the last stay.

    Args:
        rule: What decides a pair.
        images: All images; those of no pair are kept.
        pairs: Pairs that were asked about; an image has its better ones in their order.
        said: All annotations.
        known: What is known of gold pairs, by their ids: it decides about images as what people say does, and counts
            nowhere else.
        simulated: Nobody decided: the annotators are simulated.
        seed: Of the intervals.

    Raises:
        StepError: Pairs go in a circle, so that no image is the best.
    """
    votes = Votes(rule, (SAME, DIFFERENT), said)
    by_pair = votes.by_record()
    by_people = {pair.pair_id: votes.decided(by_pair[pair.pair_id]) for pair in pairs if pair.pair_id not in known}
    decided = {**by_people, **known}
    told = {
        **{pair_id: votes.evidence(by_pair[pair_id]) for pair_id in by_people},
        **{pair_id: {"gold": decision} for pair_id, decision in known.items()},
    }
    of_image: dict[str, list[AskedPair]] = {}
    for pair in pairs:
        of_image.setdefault(pair.other, []).append(pair)
    dropped = _dropped(pairs, decided)
    outcomes = {image: _outcome(image, of_image.get(image, ()), decided, dropped, told) for image in images}
    counts = Counter(by_people.values())
    summary: dict[str, Any] = {
        "kind": PAIR, "rule": str(rule), "simulated": simulated, "total": len(by_people), SAME: counts[SAME],
        DIFFERENT: counts[DIFFERENT], UNDECIDED: counts[None], "dropped": len(dropped),
    }  # fmt: skip
    if known:
        summary["gold"] = {"items": len(known), "kept": list(known.values()).count(DIFFERENT)}
    return Verdicts(None, outcomes, summary | votes.summary(dict.fromkeys(by_people, PAIR), seed=seed))


def _dropped(pairs: Sequence[AskedPair], decided: Mapping[str, str | None]) -> dict[str, str]:
    """Return each image that goes, with the image that it goes for."""
    same: dict[str, list[str]] = {}
    for pair in pairs:
        if decided[pair.pair_id] == SAME:
            same.setdefault(pair.other, []).append(pair.better)
    try:
        order = list(TopologicalSorter(same).static_order())
    except CycleError as error:
        circle = ", ".join(one[:12] for one in error.args[1])
        raise StepError(
            f"pairs that people call the same go in a circle: {circle}; name the better one first"
        ) from None
    dropped: dict[str, str] = {}
    for image in order:
        staying = [better for better in same.get(image, ()) if better not in dropped]
        if staying:
            dropped[image] = staying[0]
    return dropped


def _outcome(
    image: str, pairs: Sequence[AskedPair], decided: Mapping[str, str | None], dropped: Mapping[str, str],
    told_of: Mapping[str, Mapping[str, Any]],
) -> Outcome:  # fmt: skip
    if not pairs:
        return Outcome()
    told = {pair.better: told_of[pair.pair_id] for pair in pairs}
    if image in dropped:
        return Outcome("drop", DROPPED_AS, evidence={AGAINST: dropped[image], "pairs": told})
    if any(decided[pair.pair_id] is None for pair in pairs):
        return Outcome("ask", UNDECIDED, evidence={"pairs": told})
    return Outcome(evidence={"pairs": told})
