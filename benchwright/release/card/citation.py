"""The citation of a release: `CITATION.cff` (Citation File Format 1.2.0), and a BibTeX entry on the card."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import yaml

from benchwright.release.format.statements import Statements
from benchwright.rights import licence_id

if TYPE_CHECKING:
    from .card_facts import CardFacts

CITATION = "CITATION.cff"


def citation(facts: CardFacts, *, content_id: str) -> bytes:
    """Return the content of `CITATION.cff`.

    The format requires an author: if the curators state none, the author is the benchmark itself, as an entity.

    Args:
        facts: Facts of the release.
        content_id: Content id of the release, by which a citation identifies its exact questions.
    """
    statements = facts.statements or Statements()
    fields: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use this benchmark, please cite it as below.",
        "type": "dataset",
        "title": facts.name,
        "version": facts.version,
        "authors": [{"name": author} for author in statements.authors] or [{"name": f"The curators of {facts.name}"}],
        "identifiers": [
            {"type": "other", "value": f"benchwright:{content_id}", "description": "Content id of the release"}
        ],
        "keywords": ["benchmark", "visual question answering"],
    }
    if statements.url:
        fields["url"] = statements.url
    if facts.licence and (spdx := licence_id(facts.licence)) and not spdx.startswith("LicenseRef-"):
        fields["license"] = spdx
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True).encode()


def bibtex(facts: CardFacts) -> str:
    """Return a BibTeX entry that cites the release."""
    statements = facts.statements or Statements()
    key = re.sub(r"[^A-Za-z0-9]+", "-", f"{facts.name}-{facts.version}").strip("-")
    authors = " and ".join(f"{{{_plain(author)}}}" for author in statements.authors)
    lines = [f"  author = {{{authors}}},"] if authors else []
    lines += [f"  title = {{{_plain(facts.name)}}},", f"  version = {{{_plain(facts.version)}}},"]
    lines += [f"  url = {{{statements.url}}},"] if statements.url else []
    return "\n".join([f"@misc{{{key},", *lines, "}"])


def _plain(text: str) -> str:
    return re.sub(r"([&%$#_])", r"\\\1", re.sub(r"[{}\\`]", "", " ".join(text.split())))
