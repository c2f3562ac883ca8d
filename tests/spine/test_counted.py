"""Numbers that people read go with their nouns: one rule makes "1 item" and "2 items" everywhere."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import ROOT

from benchwright.texts.normalization import counted

FOLDERS = ("annotation", "audit", "benchwright", "construction", "evaluation", "exports", "filters")
NOUNS = (
    "annotators|answers|campaigns|checks|clusters|columns|comments|copies|cues|days|decisions|drafts|entries|errors|"
    "examples|files|findings|groups|hours|images|items|lines|minutes|models|notes|options|pairs|people|photographs|"
    "pictures|questions|raters|ratings|records|regions|releases|replies|requests|rows|shards|solvers|splits|steps|tasks|"
    "tokens|units|votes"
)
_PLURAL = rf"(?:(?:different|equal|more|other|sealed|shared|simulated|source|such|wrong) )?(?:{NOUNS})\b"
_NOUN = re.compile(rf" {_PLURAL}")
_PERHAPS = re.compile(rf"\}}[\s\"'f]*{_PLURAL}")
"""A brace before a plural, on the next line too: only such files are parsed."""
_CONSTANT = re.compile(r"(?:len\()?_?[A-Z][A-Z_]+\)?|[a-z.]+\.[A-Z][A-Z_]+")
"""Limits and other numbers of the code itself, all above 1."""
NEVER_ONE = {
    "evaluation/results/summary.py: {score.limit_of} items": "more than a sample of them",
    "annotation/exchange/invitations.py: {len(invitees)} people": "none, or too many",
    "annotation/campaigns/mark/marked_pairs.py: {len(pairs)} pairs": "none, or too many",
    "annotation/forms/fields/field_values.py: {count_in_words(field)} lines": "words such as `2 to 4`; one has its own",
    "annotation/forms/fields/field_words.py: {count_in_words(field)} lines": "words such as `2 to 4`; one has its own",
    "annotation/forms/fields/region_values.py: {rule.max_count} regions": "a rule with one has its own words",
    "annotation/label_studio/server.py: {self.url} answers": "a verb",
    "annotation/store/assignment/assignment.py: {rule} decisions": "the rule's name, of several annotators",
    "annotation/workflow/guidelines.py: {len(places)} pictures": "more than are taken",
    "audit/checks/copies.py: {len(files)} files": "copies are two or more",
    "benchwright/diagnostics/item_faults/given_away.py: {len(chances)} items": "at least as many as the several hits",
    "benchwright/diagnostics/item_faults/telling_sets.py: {len(places)} items": "one right text is no pattern",
    "benchwright/diagnostics/item_faults/telling_sets.py: {period} items": "at least two",
    "audit/checks/leaks.py: {len(files)} files": "one has its own words",
    "audit/checks/copies.py: {len(pictures)} pictures": "a series of three or more",
    "evaluation/report/plots/accuracy.py: {count} models": "more than a dozen",
    "construction/drafting/prompts.py: {SEEN[sees]} answers": "a verb",
    "benchwright/files/open_document.py: {most} columns": "a bound of thousands",
    "benchwright/files/tables.py: {columns} columns": "more than a bound of thousands",
    "benchwright/questions/own_ids.py: {len(found)} items": "two or more",
    "benchwright/question_files/keys/key_reading.py: {len(places)} answers": "two or more",
    "construction/manipulation/ideas/endpoint.py: {scene.people} people": "two or more",
    "construction/measured/depth_maps.py: {suffix} files": "a suffix",
    "evaluation/planned_run.py: {self.model} answers": "a verb",
    "filters/cli/items.py: {label} options": "a kind of pair",
    "filters/cli/quality.py: {len(report.images) / seconds} images": "a rate with two decimals",
    "filters/cli/text.py: {len(report.images) / seconds} images": "a rate with two decimals",
}
"""Values before a plural that need no rule, and why."""
CARD = ("benchwright/release/card/", "exports/freezing/shortcut_note.py")
"""Texts of a card, which stay as released versions have them."""


def plurals_in(path: Path) -> Iterator[str]:
    """Yield each value of a file before a plural without `counted`."""
    source = path.read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)) if _PERHAPS.search(source) else ():
        if not isinstance(node, ast.JoinedStr):
            continue
        for value, text in zip(node.values, node.values[1:], strict=False):
            if (
                not isinstance(value, ast.FormattedValue)
                or value.conversion != -1
                or not isinstance(text, ast.Constant)
            ):
                continue
            written = ast.unparse(value.value)
            if written.startswith("counted("):
                continue
            if (found := _NOUN.match(str(text.value))) and not _CONSTANT.fullmatch(written):
                yield f"{{{written}}}{found.group()}"


def test_every_number_before_a_noun_goes_by_the_one_rule() -> None:
    found = {
        f"{path.relative_to(ROOT).as_posix()}: {words}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        if not path.relative_to(ROOT).as_posix().startswith(CARD)
        for words in plurals_in(path)
    }
    assert sorted(found - NEVER_ONE.keys()) == [], "write {counted(n, 'item')}, or say in NEVER_ONE why not"
    assert sorted(NEVER_ONE.keys() - found) == []


def test_a_page_has_no_number_before_a_plural() -> None:
    plural = re.compile(rf"\}}\}} (?:(?:more|simulated) )?(?:{NOUNS})\b")
    pages = [path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*.html"))]
    found = {f"{path.name}: {words}" for path in pages for words in plural.findall(path.read_text(encoding="utf-8"))}
    assert pages
    assert sorted(found) == []


@pytest.mark.parametrize(
    ("number", "words"),
    [
        pytest.param(0, "0 items", id="none"),
        pytest.param(1, "1 item", id="one"),
        pytest.param(12_345, "12,345 items", id="thousands"),
        pytest.param(np.int64(1_234_567), "1,234,567 items", id="of numpy"),
        pytest.param(0.5, "0.5 items", id="a part"),
        pytest.param(1.0, "1 item", id="one as a float"),
    ],
)
def test_a_noun_goes_with_its_number(number: float, words: str) -> None:
    assert counted(number, "item") == words
