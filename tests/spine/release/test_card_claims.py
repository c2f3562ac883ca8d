"""A card's statements are checked against the release's other files, even if the manifest was rewritten.

- A figure, license, source, mark or word about people without support in the other files is a problem that names the
  line.
- A curator's own words stay, and are named as not proven; they may not claim people's work for simulated annotators,
  neither when a release is frozen nor when it is checked.
- Cards of earlier layouts are compared as far as possible, one of a later layout is not, and both are reported.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from small_bench import Bench, reseal, small_bench

from benchwright.errors import DataError
from benchwright.release import Release, verify_release
from benchwright.release.card.texts import PromptAcceptance, texts_section
from benchwright.release.verification.claims import AGREES

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def whole(bench: Any, tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = {item.item_id: {"asked": 2, "right": 1} for item, _ in bench.items}
    answers = {"simulated": True, "annotators": 2, "answers_per_item": 2, "items": items}
    return Path(
        bench.write(
            tmp_path_factory.mktemp("whole") / "r",
            human_baseline={"answer": answers},
            agreement={"verify": {"simulated": True, "percent": 0.75}, "answer": {"simulated": True}},
            description="Made by hand.\n\n## Items\n\nA heading of our own.",
            recipe={"name": "tiny", "steps": [{"step": "verify", "as": "verify", "simulate": {"annotators": 2}}]},
        ).path
    )


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "r"))


def forge(folder: Path, old: str, new: str) -> list[str]:
    """Change the card once, write the manifest anew, and return the problems that are found."""
    card = (folder / "README.md").read_text()
    assert card.count(old) >= 1, old
    head, _, tail = card.rpartition(old)
    (folder / "README.md").write_text(head + new + tail)
    reseal(folder)
    return verify_release(folder).problems


def test_a_card_as_it_was_frozen_is_proven_but_for_the_curators_words(folder: Path) -> None:
    found = verify_release(folder)
    assert (found.problems, AGREES in found.proven) == ([], True)
    lines = (folder / "README.md").read_text().split("\n")
    first, last = lines.index("Made by hand.") + 1, lines.index("A heading of our own.") + 1
    assert f"what the curator's own words say (README.md, lines {first} to {last})" in found.not_proven


def test_a_card_without_words_of_a_curator_is_proven_whole(bench: Any, tmp_path: Path) -> None:
    found = verify_release(bench.write(tmp_path / "r", description="").path)
    assert (found.problems, AGREES in found.proven) == ([], True)
    assert not [line for line in found.not_proven if "README.md" in line]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        pytest.param("`verify`: **simulated** annotators, not people", "`verify`: accepted by 2 people",
                     "says '- `verify`: accepted by 2 people', where agreement.json", id="people"),
        pytest.param("`verify`: **simulated** annotators, not people", "`verify`: people", "says '- `verify`: people'",
                     id="not-simulated"),
        pytest.param("by **simulated** annotators, not people (`human", "by people (`human", "human_baseline.json gives",
                     id="baseline"),
        pytest.param("8 items, up to 2 answers", "8 items, up to 20 answers", "up to 20 answers", id="answers"),
        pytest.param("| `jigsaw` | 3 | 2 |", "| `jigsaw` | 30 | 20 |", "where the data gives '| `jigsaw` | 3 | 2 |'",
                     id="items"),
        pytest.param("blank 2", "blank 0", "where manifest.json gives", id="funnel"),
        pytest.param("license: cc-by-4.0", "license: cc0-1.0", "line 3: says 'license: cc0-1.0'", id="licence"),
        pytest.param("| trip | CC0 | 3 | 0 |", "| trip | CC0 | 300 | 0 |", "where provenance.json gives", id="sources"),
        pytest.param("| trip | not stated | 3 | 0 |", "| trip | CC0 | 3 | 0 |", "says '| trip | CC0 | 3 | 0 |'",
                     id="source-licence"),
        pytest.param("**3 of 8 questions need marks**", "No question needs marks", "where the data gives", id="marks"),
        pytest.param("path/to/this/folder", "somebody/else", 'load_dataset("somebody/else")', id="other-data"),
        pytest.param("120d37b5", "220d37b5", "says '`220d37b5", id="canary"),
        pytest.param("## Canary", "## Quality\n\nAccepted by 2 people.\n\n## Canary",
                     "a section 'Quality', which no card has here", id="more-sections"),
        pytest.param("its scores here mean little.", "its scores here mean little. Accepted by 2 people.",
                     "where manifest.json gives 'This data is for testing.", id="end"),
        pytest.param("\n# tiny 1.0", "\n# tiny 1.0, a gold standard", "says '# tiny 1.0, a gold standard'", id="title"),
        pytest.param("Made by hand.", "Every item was accepted by 2 people.", "says 'accepted by 2 people', but agreement",
                     id="own-words"),
    ],
)  # fmt: skip
def test_a_claim_that_the_other_files_do_not_give_is_a_problem(folder: Path, old: str, new: str, message: str) -> None:
    problems = forge(folder, old, new)
    assert any(message in line for line in problems), problems
    assert all("README.md" in line for line in problems)


@pytest.mark.parametrize("heading", ["Funnel", "People", "Sources", "Use", "Canary"])
def test_a_section_that_is_gone_is_a_problem(folder: Path, heading: str) -> None:
    before, _, rest = (folder / "README.md").read_text().rpartition(f"## {heading}\n")
    _, mark, after = rest.partition("\n## ")
    (folder / "README.md").write_text(before + (f"## {after}" if mark else ""))
    reseal(folder)
    assert any(f"has no section '{heading}'" in line for line in verify_release(folder).problems)


def test_a_section_that_is_there_twice_is_a_problem(folder: Path) -> None:
    card = (folder / "README.md").read_text()
    people = card[card.index("## People") : card.index("## Sources")]
    forged = card.replace(people, "## People\n\n- `verify`: people\n\n").replace("<!--", people + "<!--")
    (folder / "README.md").write_text(forged)
    reseal(folder)
    assert verify_release(folder).problems


def test_a_card_without_its_mark_is_compared_all_the_same(folder: Path) -> None:
    assert forge(folder, "<!-- benchwright/card 7 -->\n", "") == []
    assert forge(folder, "**simulated** annotators, not people", "people")


def test_a_card_says_nothing_of_drafts_where_there_were_none(folder: Path) -> None:
    card = (folder / "README.md").read_text()
    assert "## Texts" not in card
    assert card.endswith("<!-- benchwright/card 7 -->\n")


def test_a_card_of_a_later_layout_is_told_as_not_compared(folder: Path) -> None:
    assert forge(folder, "benchwright/card 7", "benchwright/card 8") == []
    found = verify_release(folder)
    assert any("its layout is version 8" in line for line in found.not_proven)
    assert AGREES not in found.proven


def test_the_golden_card_of_an_earlier_layout_is_compared_as_far_as_it_goes(tmp_path: Path) -> None:
    golden = Path(__file__).parent.parent / "golden" / "release-v1"
    folder = Path(shutil.copytree(golden, tmp_path / "r"))
    found = verify_release(folder)
    assert found.problems == []
    told = [line for line in found.not_proven if "which an earlier Benchwright wrote" in line]
    assert [heading in line for heading, line in zip(("How it was made", "Use"), told, strict=True)] == [True, True]
    assert forge(folder, "**simulated** annotators, not people", "people")


def _campaigns(document: dict[str, Any], **simulated: bool) -> None:
    for name, value in simulated.items():
        document["campaigns"][name]["simulated"] = value


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param({"verify": False}, "the recipe in manifest.json states simulated annotators", id="recipe"),
        pytest.param(
            {"answer": False}, "the annotators of answer are simulated, but agreement.json states people", id="baseline"
        ),
    ],
)
def test_documents_that_contradict_each_other_are_a_problem(
    folder: Path, change: dict[str, bool], message: str
) -> None:
    document = json.loads((folder / "agreement.json").read_text())
    _campaigns(document, **change)
    (folder / "agreement.json").write_text(json.dumps(document))
    name = next(iter(change))
    problems = forge(folder, f"- `{name}`: **simulated** annotators, not people", f"- `{name}`: people")
    assert any(message in line for line in problems), problems


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda manifest: manifest.update(stages=[{"counts": {"in": "many"}}]), id="counts"),
        pytest.param(lambda manifest: manifest.update(stages=[{"counts": {"verdicts": [1]}}]), id="verdicts"),
        pytest.param(lambda manifest: manifest.update(recipe={"steps": [1, {"as": []}]}), id="recipe"),
    ],
)
def test_what_cannot_be_compared_is_a_problem_and_no_traceback(
    folder: Path, change: Callable[[dict[str, Any]], object]
) -> None:
    reseal(folder, change)
    found = verify_release(folder)
    assert all(line.startswith("README.md") for line in found.problems)


@pytest.mark.parametrize(
    "words",
    [
        "Two people accepted each.",
        "Each item was accepted\nby two people and answered by three others.",
        "Human-verified questions.",
        "Ambiguous items were taken out by people.",
    ],
)
def test_a_release_whose_description_says_that_people_did_what_was_simulated_is_not_frozen(
    bench: Any, tmp_path: Path, words: str
) -> None:
    with pytest.raises(DataError, match="every campaign was simulated"):
        bench.write(tmp_path / "r", description=words)
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize(
    ("words", "agreement"),
    [
        pytest.param("Annotators are simulated; no person accepted anything.", {"verify": {"simulated": True}}, id="denied"),
        pytest.param("Pictures show two people. Each was checked twice.", {"verify": {"simulated": True}}, id="elsewhere"),
        pytest.param("Each item was accepted by two people.", {"verify": {"simulated": False}}, id="true"),
        pytest.param("Its authors had all answers checked by experts.", {}, id="of-the-source"),
    ],
)  # fmt: skip
def test_other_words_of_a_curator_stay(bench: Any, tmp_path: Path, words: str, agreement: dict[str, Any]) -> None:
    release: Release = bench.write(tmp_path / "r", description=words, agreement=agreement)
    assert verify_release(release.path).problems == []
    assert words in (release.path / "README.md").read_text()


def sheet(bench: Bench, folder: Path, **changes: Any) -> str:
    return (bench.write(folder / "r", **changes).path / "README.md").read_text(encoding="utf-8")


def test_the_data_sheet_counts_the_sources_that_are_stated(bench: Bench, tmp_path: Path) -> None:
    text = sheet(bench, tmp_path)
    licensed = sum(record.source is not None and record.source.licence is not None for record in bench.records.values())
    sources = sum(record.source is not None for record in bench.records.values())
    assert 0 < licensed < sources
    assert f"A dataset is stated for {sources} of these, a license for {licensed}." in text


@pytest.mark.parametrize(
    ("agreement", "people", "sheet_says"),
    [
        ({}, "nothing shows that a person looked", "no person looked at the items in a campaign"),
        ({"a": {"simulated": False, "total": 0}}, "`a`: there are no decisions", "no person looked at the items in a campaign"),
        ({"a": {"simulated": False, "annotators": {"x": {"tasks": 0}}}}, "`a`: there are no decisions", "no person looked"),
        ({"a": {"simulated": True, "total": 9}}, "**simulated** annotators", "no person looked at the items in a campaign"),
        ({"a": {"simulated": False, "total": 9}}, "`a`: people", "People looked at items in 1 campaign;"),
    ],
)  # fmt: skip
def test_the_card_counts_campaigns_in_which_people_decided(
    agreement: dict[str, Any], people: str, sheet_says: str, bench: Bench, tmp_path: Path
) -> None:
    text = sheet(bench, tmp_path, agreement=agreement)
    assert people in text
    assert sheet_says in text


def test_steps_and_sources_that_nobody_states_are_not_claimed(tmp_path: Path) -> None:
    bench = small_bench()
    for image_id, record in bench.records.items():
        bench.records[image_id] = record.model_copy(update={"source": None})
    text = sheet(bench, tmp_path, stages=[])
    assert "the funnel above shows what each step dropped" not in text
    assert "a license is stated for 0 of 0" not in text


def test_simulated_annotators_are_no_people_who_took_drafts() -> None:
    prompt = {"by": "model", "prompt": "p1", **dict.fromkeys(PromptAcceptance._fields[3:], 1)}
    agreement = {
        "a": {"simulated": False, "drafts": {"prompts": [prompt]}},
        "b": {"simulated": True, "drafts": {"prompts": [prompt]}},
    }
    people, simulated = str(texts_section({}, {}, agreement, version=5)).split(
        "Outcome of the drafts shown to simulated annotators"
    )
    assert "`a`" in people
    assert "`b`" not in people
    assert "`b`" in simulated
