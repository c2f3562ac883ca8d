"""Docstrings, comments, messages and guides avoid a list of phrases; `docs/writing.md` says what to write instead.

`EDITED` and `EDITED_PAGES` name the folders and pages whose English is edited. They grow until they cover the project.
The test skips names in code font, strings of one word (keys), raw strings (patterns) and blocks of code. Where a phrase
is data or a quotation, a comment `# phrase: allowed` in the same statement, or `<!-- phrase: allowed -->` on the same
line of a page, lets it pass. A mark without a phrase is a fault, too.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest
from conftest import ROOT

EDITED: tuple[str, ...] = (
    "annotation/agreement",
    "annotation/campaigns",
    "annotation/cli",
    "annotation/exchange",
    "annotation/forms",
    "annotation/items",
    "annotation/jobs",
    "annotation/label_studio",
    "annotation/pay",
    "annotation/practice",
    "annotation/progress",
    "annotation/room.py",
    "annotation/simulated",
    "annotation/store",
    "annotation/webhooks",
    "annotation/workflow",
    "audit",
    "benchwright/__init__.py",
    "benchwright/__main__.py",
    "benchwright/canonical.py",
    "benchwright/cli",
    "benchwright/diagnostics/features",
    "benchwright/diagnostics/item_faults",
    "benchwright/diagnostics/keys",
    "benchwright/diagnostics/models",
    "benchwright/diagnostics/picture_text",
    "benchwright/diagnostics/pictures",
    "benchwright/diagnostics/sentence_gaps",
    "benchwright/drawing",
    "benchwright/engines",
    "benchwright/errors.py",
    "benchwright/facts",
    "benchwright/files",
    "benchwright/funnel",
    "benchwright/images",
    "benchwright/machine",
    "benchwright/models",
    "benchwright/overrides.py",
    "benchwright/pages",
    "benchwright/pipeline",
    "benchwright/progress.py",
    "benchwright/question_files",
    "benchwright/questions",
    "benchwright/raised.py",
    "benchwright/recipe.py",
    "benchwright/recipes",
    "benchwright/record_map.py",
    "benchwright/records.py",
    "benchwright/regions",
    "benchwright/release",
    "benchwright/replies",
    "benchwright/rights",
    "benchwright/rooms.py",
    "benchwright/seeds.py",
    "benchwright/settings",
    "benchwright/source_files",
    "benchwright/statistics",
    "benchwright/steps.py",
    "benchwright/terminal",
    "benchwright/texts",
    "benchwright/workspace",
    "construction/datasets",
    "construction/distractors",
    "construction/drafting",
    "construction/estimated",
    "construction/ground_truth",
    "construction/helpers",
    "construction/imported",
    "construction/item_parts",
    "construction/measured",
    "construction/paper_tables",
    "construction/readers",
    "construction/self_awareness",
    "construction/tasks",
    "construction/truth_tasks",
    "exports",
    "evaluation",
    "filters",
    "tests/spine/test_phrases.py",
)
EDITED_PAGES: tuple[str, ...] = (
    "CHANGELOG.md",
    "README.md",
    "docs/adversary.md",
    "docs/after-scoring.md",
    "docs/annotator-care.md",
    "docs/annotator-kinds.md",
    "docs/annotator-spreadsheet.md",
    "docs/annotator.md",
    "docs/api.md",
    "docs/architecture.md",
    "docs/asking-models.md",
    "docs/audit-ci.md",
    "docs/audit-keys.md",
    "docs/audit-kinds.md",
    "docs/audit-measured.md",
    "docs/audit-peers.md",
    "docs/audit-published.md",
    "docs/audit-set-right.md",
    "docs/audit-task-keys.md",
    "docs/audit.md",
    "docs/batches-and-samples.md",
    "docs/blink-settings.md",
    "docs/blink-tasks.md",
    "docs/campaign-internals.md",
    "docs/campaign-kinds.md",
    "docs/campaign-parts.md",
    "docs/checking-releases.md",
    "docs/cluster.md",
    "docs/code-map.md",
    "docs/commands.md",
    "docs/comparing-models.md",
    "docs/conversations.md",
    "docs/curator.md",
    "docs/dataset-tasks.md",
    "docs/drafts.md",
    "docs/duplicates.md",
    "docs/evaluator.md",
    "docs/exports.md",
    "docs/extender.md",
    "docs/facts.md",
    "docs/fewer-items.md",
    "docs/funnel.md",
    "docs/glossary.md",
    "docs/handing-out.md",
    "docs/implications.md",
    "docs/imported-questions.md",
    "docs/index.md",
    "docs/installing.md",
    "docs/item-filters.md",
    "docs/items-and-rules.md",
    "docs/job-costs.md",
    "docs/making-in-the-browser.md",
    "docs/manipulated-pairs.md",
    "docs/marking-helpers.md",
    "docs/marks.md",
    "docs/own-photographs.md",
    "docs/paid-workers.md",
    "docs/pair-api-edits.md",
    "docs/pair-editors.md",
    "docs/pair-ideas.md",
    "docs/pair-filters.md",
    "docs/people.md",
    "docs/pipeline.md",
    "docs/planning.md",
    "docs/predictions.md",
    "docs/protocols.md",
    "docs/published.md",
    "docs/publishing.md",
    "docs/python.md",
    "docs/quality.md",
    "docs/question-layouts.md",
    "docs/question-tables.md",
    "docs/recipes.md",
    "docs/release-format.md",
    "docs/release-internals.md",
    "docs/released-pictures.md",
    "docs/replies.md",
    "docs/results.md",
    "docs/review-elsewhere.md",
    "docs/review-internals.md",
    "docs/review-server.md",
    "docs/rounds.md",
    "docs/scores.md",
    "docs/scoring-examples.md",
    "docs/sealed.md",
    "docs/security.md",
    "docs/self-awareness.md",
    "docs/shortcut-solvers.md",
    "docs/shortcuts-measured.md",
    "docs/shortcuts.md",
    "docs/source-datasets.md",
    "docs/specialists.md",
    "docs/step-rules.md",
    "docs/task-examples.md",
    "docs/text-options.md",
    "docs/text-ratio.md",
    "docs/tutorials/blink.md",
    "docs/tutorials/demo.md",
    "docs/tutorials/ii-bench.md",
    "docs/tutorials/index.md",
    "docs/tutorials/marked-photographs.md",
    "docs/tutorials/mm-sap.md",
    "docs/tutorials/mvp-bench.md",
    "docs/tutorials/perception-with-people.md",
    "docs/tutorials/perception.md",
    "docs/very-many-images.md",
    "docs/visual-prompts.md",
    "docs/workspace.md",
    "docs/writing.md",
)

# The tables of phrases.
_AMERICAN = {
    r"(behavi|col|fav|flav|hon|hum|lab|neighb|rum|vap)our(s|ed|ing|able|ably|ful|less|hood|ite)?": "-or-",
    r"(centre|metre|litre|fibre|calibre|theatre)(s|d)?": "-er",
    r"(anal|paral|catal)ys(e|es|ed|ing)": "-yz-",
    r"(anonym|author|categor|character|crystal|custom|emphas|equal|familiar|final|general|harmon|initial|local|material|"
    r"maxim|memor|minim|normal|optim|organ|parallel|parameter|pixel|priorit|quant|random|raster|real|recogn|regular|"
    r"serial|special|standard|summar|symbol|synchron|synthes|token|util|vectori?|visual)is(e|es|ed|ing|er|ers|ation)": "-iz-",
    r"(label|travel|model|cancel|channel|level|signal|tunnel|total|marshal)l(ed|ing)": "one l",
    r"mis-?spel(t|lt)|spelt|learnt|burnt|dreamt": "-ed",
    r"licences?|licenced|defences?|offences?": "license, defense, offense (the field is `licence`)",
    r"greys?|grey(ish|scale)": "gray",
    r"artefacts?|judgements?|programmes?|whilst|amongst|fulfils?|skilful": "artifact, judgment, program, while, among, fulfill",
}
_PERIOD = {
    r"whence|lest|nought|thereof|therein|hereby|shall|albeit": "from which, so that ... not, none, must, although",
    r"as it were|so to speak": "nothing",
    r"mend(s|ed|ing)?": "fix, repair",
    r"likeness(es)?": "similarity",
    r"put aside|puts aside": "set aside, archive",
}
_ROLES = {
    r"some(body|one)|no(body)|any(body)|every(body)|whoever|whosoever|whomever": "the role: curator, annotator, evaluator, caller, reader, author",
}
_CLAUSES = {
    r"(is|are|was|were|be|been|being) told(?! apart)": "who reports it: the command prints, the message names, the setting says",
    r"what (came|comes|becomes|became) of": "the outcome of, the result of",
    r"(stands?|standing|stood) (beside|in|at|there|before|between)": "is, lies, appears; next to",
    r"(?<!there\s)are no (?!longer|more|less|fewer|better|worse|larger|smaller|greater|other)[a-z]+": "are not, or the positive",
    r"(comes?|came|coming) along|(goes|go|went|going) by": "is included, follows, uses",
    r"(hangs?|hanging) on": "depends on",
    r"(it|this|that|which) costs nothing": "is free, takes no time",
    r"of (its|their|his|her|our) own": "its own NOUN, separate",
}
INSTEAD = {
    re.compile(rf"\b(?:{pattern.replace(' ', chr(92) + 's+')})\b", re.IGNORECASE): instead
    for group in (_ROLES, _CLAUSES, _PERIOD, _AMERICAN)
    for pattern, instead in group.items()
}
"""What to write instead of each phrase."""

MARK = "phrase: allowed"
_CODE_FONT = re.compile(r"(`+)(?!`)[^\x00]+?(?<!`)\1(?!`)")
_KEY = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')[\w.\-/:]*\1")
_PATTERN = re.compile(r"""[bB]?[rR][bB]?(?:"(?!"")|'(?!''))""")
"""Beginning of a raw string, which holds a pattern."""
_PLACE = re.compile(r"\{[^{}]*\}")
_OPENING = re.compile(r"[A-Za-z]*(\"\"\"|'''|\"|')")
_FENCED = re.compile(r"^( *)(```+|~~~+).*?^\1\2[^\n]*$", re.DOTALL | re.MULTILINE)
_BARRIER = "\x00"
"""Replaces each character that is not prose, so that no phrase is found across it."""


class Fault(NamedTuple):
    """A phrase to replace, or a mark without a phrase."""

    line: int
    found: str
    instead: str


class Prose(NamedTuple):
    """The prose of a file, with everything else blanked out: equal lines, and the lines on which all phrases pass."""

    text: str
    marked: tuple[range, ...]


def _hidden(match: re.Match[str]) -> str:
    return re.sub(r"[^\n]", _BARRIER, match[0])


def python_prose(source: str) -> Prose:
    """Return the comments, docstrings and other strings of a module.

    Quotes between adjacent strings and `#` become spaces, so that a phrase is found across lines.
    """
    blank = [re.sub(r"[^\s]", _BARRIER, line) for line in source.splitlines(keepends=True)]
    marked, first, has_mark = [], 1, False
    tokens = list(tokenize.generate_tokens(io.StringIO(source).readline))
    keys = set(_keys(tokens))
    for token in tokens:
        if token.type == tokenize.NEWLINE:
            marked += [range(first, token.end[0] + 1)] if has_mark else []
            first, has_mark = token.end[0] + 1, False
        if token.type == tokenize.COMMENT:
            has_mark |= MARK in token.string
            _place(blank, token.start, " " + token.string[1:])
        if token.type == tokenize.STRING and token.start not in keys:
            opening = _OPENING.match(token.string)
            assert opening is not None
            quotes = len(opening[1])
            inner = _PLACE.sub(_hidden, token.string[opening.end() : -quotes])
            _place(blank, token.start, " " * opening.end() + inner + " " * quotes)
    return Prose(_CODE_FONT.sub(_hidden, "".join(blank)), tuple(marked))


def _keys(tokens: list[tokenize.TokenInfo]) -> Iterator[tuple[int, int]]:
    """Yield the starts of patterns, and of strings of one word that do not continue another string."""
    read = [token for token in tokens if token.type not in {tokenize.NL, tokenize.COMMENT}]
    for before, token, after in zip([read[-1], *read], read, [*read[1:], read[-1]], strict=False):
        is_alone = tokenize.STRING not in {before.type, after.type}
        if _PATTERN.match(token.string) or (is_alone and _KEY.fullmatch(token.string)):
            yield token.start


def _place(lines: list[str], start: tuple[int, int], text: str) -> None:
    """Write text over the lines from a place (line from 1, column from 0) on."""
    for number, part in enumerate(text.split("\n"), start[0] - 1):
        column = start[1] if number == start[0] - 1 else 0
        lines[number] = lines[number][:column] + part + lines[number][column + len(part) :]


def page_prose(source: str) -> Prose:
    """Return the prose of a page in Markdown."""
    written = _CODE_FONT.sub(_hidden, _FENCED.sub(_hidden, source))
    marked = tuple(range(at, at + 1) for at, line in enumerate(written.split("\n"), 1) if f"<!-- {MARK} -->" in line)
    return Prose(re.sub(r"<!--.*?-->|\]\([^)\s]*\)", _hidden, written, flags=re.DOTALL), marked)


def faults_in(prose: Prose) -> list[Fault]:
    """Return the phrases of a text to replace, and its needless marks, by line."""
    faults, needed = [], set()
    for pattern, instead in INSTEAD.items():
        for match in pattern.finditer(prose.text):
            line = prose.text.count("\n", 0, match.start()) + 1
            if marks := [lines for lines in prose.marked if line in lines]:
                needed.update(marks)
            else:
                faults.append(Fault(line, " ".join(match[0].split()), instead))
    return sorted(faults + [Fault(lines[0], MARK, "no mark") for lines in prose.marked if lines not in needed])


def _files(names: tuple[str, ...], suffix: str) -> Iterator[Path]:
    for name in names:
        path = ROOT / name
        yield from sorted(path.rglob(f"*{suffix}")) if path.is_dir() else [path]


@pytest.mark.parametrize("name", EDITED)
def test_edited_modules_avoid_the_phrases(name: str) -> None:
    paths = list(_files((name,), ".py"))
    faults = [
        f"{path.relative_to(ROOT)}:{fault.line}: {fault.found!r}; write {fault.instead}"
        for path in paths
        for fault in faults_in(python_prose(path.read_text(encoding="utf-8")))
    ]
    assert paths
    assert "\n".join(faults) == ""


def test_edited_pages_avoid_the_phrases() -> None:
    faults = [
        f"{path.relative_to(ROOT)}:{fault.line}: {fault.found!r}; write {fault.instead}"
        for path in _files(EDITED_PAGES, ".md")
        for fault in faults_in(page_prose(path.read_text(encoding="utf-8")))
    ]
    assert "\n".join(faults) == ""


@pytest.mark.parametrize(
    ("source", "found"),
    [  # phrase: allowed
        pytest.param('"""The tasks somebody holds."""', [(1, "somebody")], id="docstring"),
        pytest.param("x = 1  # what came of it", [(1, "what came of")], id="comment"),
        pytest.param("# it is\n# told here\n", [(1, "is told")], id="across two lines of a comment"),
        pytest.param('x = ("the colour "\n     "of grey")', [(1, "colour"), (2, "grey")], id="adjacent strings"),
        pytest.param('x = f"{n} files are no " f"pictures"', [(1, "are no pictures")], id="across formatted strings"),
        pytest.param('"""One\n\ntwo stands in three."""', [(3, "stands in")], id="line within a docstring"),
        pytest.param("somebody = colour", [], id="names"),
        pytest.param('x = r"(?P<colour>a grey one)"', [], id="patterns"),
        pytest.param('x = f"a {colour} of {grey.of}"', [], id="values in a string"),
        pytest.param('row["licence"], "grey"', [], id="strings of one word"),
        pytest.param('"""The field `licence` of `colour.py`."""', [], id="code font"),
        pytest.param('x = ["it is", "told me"]', [], id="separate strings"),
        pytest.param("# there are no files; models are told apart\n", [], id="ordinary English"),
        pytest.param('x = ["by nobody at all"]  # phrase: allowed', [], id="marked at the end"),
        pytest.param('# Words of replies. phrase: allowed\nx = [\n  "nobody at all",\n]', [], id="marked above"),
        pytest.param("x = 1  # phrase: allowed\n", [(1, MARK)], id="needless mark"),
    ],
)
def test_phrases_in_python(source: str, found: list[tuple[int, str]]) -> None:
    assert [(fault.line, fault.found) for fault in faults_in(python_prose(source + "\n"))] == found


@pytest.mark.parametrize(
    ("source", "found"),
    [  # phrase: allowed
        pytest.param("One\nthat nobody needs", [(2, "nobody")], id="prose"),
        pytest.param("```sh\n# nobody\n```\n\n`grey` in [red](grey.md)", [], id="code and addresses"),
        pytest.param("Not *somebody* but a role <!-- phrase: allowed -->", [], id="marked"),
    ],
)
def test_phrases_in_pages(source: str, found: list[tuple[int, str]]) -> None:
    assert [(fault.line, fault.found) for fault in faults_in(page_prose(source))] == found
