"""The head of a page: the release's name, ids, counts and license, and the campaigns about its items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from benchwright.release.format import documents
from benchwright.release.format.agreement import is_simulated
from benchwright.release.format.blind_strategy import read_blind_strategy
from benchwright.release.format.files import read_inside
from benchwright.release.format.manifest import AGREEMENT
from benchwright.texts.normalization import counted

from .legible import legible

if TYPE_CHECKING:
    from benchwright.release import Release

    from ...results.score import Score


class CampaignLine(NamedTuple):
    """A one-line summary of a campaign.

    Args:
        name: Name of the campaign's step.
        simulated: Whether any annotator was simulated.
        words: Agreement of its annotators, as text.
    """

    name: str
    simulated: bool
    words: str


class PageHead(NamedTuple):
    """The head of a page.

    Args:
        name: Name of the benchmark.
        version: Version of the release.
        facts: Name and value of each short fact.
        ids: Name and value of each id; ids are long and intended for copying.
        canary: Canary, for finding the release in training data.
        campaigns: Campaigns by name; empty if the items were not reviewed.
    """

    name: str
    version: str
    facts: tuple[tuple[str, str], ...]
    ids: tuple[tuple[str, str], ...]
    canary: str
    campaigns: tuple[CampaignLine, ...]

    @property
    def is_simulated(self) -> bool:
        """Return whether any campaign had simulated annotators."""
        return any(campaign.simulated for campaign in self.campaigns)


def head_of(release: Release, score: Score) -> PageHead:
    """Return the head of a page.

    Args:
        release: Release that was scored.
        score: Any of the scores, since all have the same split and protocol.

    Raises:
        DataError: The agreement report is damaged.
    """
    counts = release.manifest.counts.splits
    splits = [score.split] if score.split is not None else list(release.splits)
    tasks = {task for split in splits for task in counts[split].tasks}
    facts = (
        ("items", f"{sum(counts[split].items for split in splits):,}"),
        ("splits" if len(splits) > 1 else "split", ", ".join(f"{split} ({counts[split].items:,})" for split in splits)),
        ("tasks", str(len(tasks))),
        ("protocol", score.protocol),
        ("licence", legible(release.manifest.licence or "not stated")),
        *([] if (blind := read_blind_strategy(release)) is None else [("best blind strategy", legible(blind.words))]),
    )
    ids = (("release", release.release_id), ("content", release.content_id))
    campaigns = tuple(_campaign(name, summary) for name, summary in sorted(_agreement(release).items()))
    return PageHead(release.name, release.version, facts, ids, legible(release.canary), campaigns)


def _agreement(release: Release) -> Mapping[str, Mapping[str, Any]]:
    place = f"{release.path}: {AGREEMENT}"
    data = read_inside(release.path, AGREEMENT, max_bytes=documents.MAX_BYTES)
    document = documents.stated(documents.parse(data, title=place), "benchwright/agreement", 1, title=place)
    campaigns = document.get("campaigns")
    return {k: v for k, v in campaigns.items() if isinstance(v, dict)} if isinstance(campaigns, dict) else {}


def _campaign(name: str, summary: Mapping[str, Any]) -> CampaignLine:
    """Return a line about the annotators' agreement, without values that the summary lacks."""
    agreement = summary.get("agreement")
    figures: Mapping[str, Any] = agreement if isinstance(agreement, dict) else {}
    facts = []
    if isinstance(rule := summary.get("rule"), str):
        facts.append(f"rule {rule}")
    if isinstance(kept := summary.get("kept"), int):
        dropped = sum(n for n in (summary.get("rejected"), summary.get("no_agreement")) if isinstance(n, int))
        facts.append(f"{counted(kept, 'item')} kept, {dropped:,} dropped")
    if _is_number(figures.get("percent")):
        facts.append(f"{figures['percent']:.0%} of pairs of answers agree")
    for key, words in (("krippendorff_alpha", "Krippendorff's\u00a0α"), ("gwet_ac1", "Gwet's\u00a0AC1")):
        if _is_number(figures.get(key)):
            facts.append(f"{words}\u00a0{figures[key]:.2f}".replace("-", "−"))
    return CampaignLine(legible(name), is_simulated(summary), legible("; ".join(facts)))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
