"""The agreement report of a release: each campaign's summary, and whether its annotators were people."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchwright.errors import DataError
from benchwright.release.format import documents
from benchwright.release.format.files import read_inside, shown
from benchwright.release.format.manifest import AGREEMENT, HUMAN_BASELINE, MANIFEST

FORMAT = "benchwright/agreement"
FORMAT_VERSION = 1


def read_agreement(root: Path) -> dict[str, dict[str, Any]]:
    """Return the summaries of a release's campaigns, by name.

    Raises:
        DataError: The file is missing, of a newer version, or names no campaigns.
    """
    data = read_inside(root, AGREEMENT, max_bytes=documents.MAX_BYTES)
    document = documents.stated(documents.parse(data, title=AGREEMENT), FORMAT, FORMAT_VERSION, title=AGREEMENT)
    campaigns = document.get("campaigns")
    if not isinstance(campaigns, dict) or not all(isinstance(summary, dict) for summary in campaigns.values()):
        raise DataError(f"{AGREEMENT} names no campaigns")
    return campaigns


def is_simulated(summary: Mapping[str, Any]) -> bool:
    """Return whether a campaign's summary states that any of its annotators was simulated."""
    return bool(summary.get("simulated"))


def is_empty(summary: Mapping[str, Any]) -> bool:
    """Return whether a campaign's summary has no decision, because there is no task or no annotator made a decision."""
    if summary.get("total") == 0:
        return True
    annotators = summary.get("annotators")
    if not isinstance(annotators, Mapping):
        return False
    counts = [list(of.values()) if isinstance(of, Mapping) else [of] for of in annotators.values()]
    return not any(count for of in counts for count in of)


def contradictions(
    recipe: Mapping[str, Any], agreement: Mapping[str, Mapping[str, Any]], baseline: Mapping[str, Mapping[str, Any]]
) -> list[str]:
    """Return contradictions of the agreement report by recipe or human baseline on whether annotators were people.

    Args:
        recipe: Recipe in the manifest.
        agreement: Summaries of campaigns, by name.
        baseline: Human baseline, by campaign.
    """
    steps = recipe.get("steps")
    entries = [entry for entry in steps if isinstance(entry, dict)] if isinstance(steps, list) else []
    simulated = {str(entry.get("as")) for entry in entries if entry.get("simulate")}
    problems = [
        f"{AGREEMENT}: states people for {shown(name)}, but the recipe in {MANIFEST} states simulated annotators"
        for name, summary in sorted(agreement.items())
        if name in simulated and not is_simulated(summary)
    ]
    return problems + [
        f"{HUMAN_BASELINE}: the annotators of {shown(name)} are {_kind(answers)}, but {AGREEMENT} states "
        f"{_kind(agreement[name])}"
        for name, answers in sorted(baseline.items())
        if name in agreement and is_simulated(answers) != is_simulated(agreement[name])
    ]


def _kind(summary: Mapping[str, Any]) -> str:
    return "simulated" if is_simulated(summary) else "people"
