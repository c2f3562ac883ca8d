"""MVP-Bench's layout and cells on a handful of questions made by hand.

Three image pairs: pair 1 has two low-level questions, pair 2 one high-level question, and each of pairs 1 and 3 a
multiple-choice question under three rotations.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from benchwright.errors import BenchwrightError, DataError
from benchwright.evaluation.published.benchmarks import recount
from benchwright.evaluation.published.cells import Recount

OPTIONS = ("a cat", "a dog", "a parrot")


def yes_no(number: int, pair: int, side: str, text: str, answer: str, level: str = "low") -> dict[str, Any]:
    image = f"Single_Images/{pair}_{side}.jpg"
    return {
        "question_id": number,
        "id": pair,
        "image": image,
        "question": text,
        "answer": answer,
        "type": f"y/n-{side}",
        "level": level,
    }


def choice(key: Any, pair: int, image: str, answer: str, turn: int = 0, level: str = "high") -> dict[str, Any]:
    turned = [*OPTIONS[turn:], *OPTIONS[:turn]]
    text = "\n".join(["Which one?", *(f"{letter}. {option}" for letter, option in zip("ABC", turned, strict=True))])
    return {
        "question_id": key,
        "id": pair,
        "image": image,
        "question": text,
        "answer": answer,
        "type": "mcq-e",
        "level": level,
    }


CROSS, SINGLE = "Cross_Images/1_concat.jpg", "Single_Images/3_e.jpg"
QUESTIONS = [
    yes_no(0, 1, "s", "A hat?", "yes"), yes_no(1, 1, "e", "A hat?", "no"),
    yes_no(2, 1, "s", "A bag?", "yes"), yes_no(3, 1, "e", "A bag?", "no"),
    yes_no(4, 101, "s", "At work?", "no", "high"), yes_no(5, 101, "e", "At work?", "yes", "high"),
    choice(6, 1, CROSS, "B"), choice(7, 3, SINGLE, "A"),
]  # fmt: skip
ROTATIONS = [
    {**choice(f"{number}__{mcq}__{turn}", pair, image, gold[turn], turn), "mcq_id": mcq}
    for number, mcq, pair, image, gold in ((6, 0, 1, CROSS, "BAC"), (7, 1, 3, SINGLE, "ACB"))
    for turn in range(3)
]
RIGHT = {0: "Yes.", 1: "No, none.", 2: "yes", 3: "no", 4: "No", 5: "Yes", 6: "B", 7: "A. a cat"}
ROTATED = {rotation["question_id"]: rotation["answer"] for rotation in ROTATIONS}


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


class Layout:
    """The repository's folder with one model in it."""

    def __init__(self, root: Path) -> None:
        self.root = root
        lines(root / "data" / "all_questions.json", QUESTIONS)
        lines(root / "data" / "mcq_questions.json", ROTATIONS)

    def says(self, outputs: Mapping[int, str], *, field: str = "output") -> None:
        lines(self.file("tiny.jsonl"), [{"question_id": key, field: output} for key, output in outputs.items()])

    def judged(self, outputs: Mapping[int, str], verdicts: Mapping[int, str | None]) -> None:
        rows = [
            {"question_id": k, "prediction": output, "extracted (GPT)": verdicts.get(k)}
            for k, output in outputs.items()
        ]
        lines(self.file("tiny_evaluated.jsonl"), rows)

    def rotates(self, outputs: Mapping[str, str]) -> None:
        lines(self.file("mcq_tiny.jsonl"), [{"question_id": key, "output": output} for key, output in outputs.items()])

    def file(self, name: str) -> Path:
        return self.root / "model_prediction" / name

    def count(self, **settings: Any) -> Recount:
        return recount("mvp-bench", self.root, "tiny", **settings)

    def cell(self, name: str, **settings: Any) -> tuple[float, int]:
        return tuple(self.count(**settings).cells[name])  # type: ignore[return-value]


@pytest.fixture
def layout(tmp_path: Path) -> Layout:
    made = Layout(tmp_path)
    made.says(RIGHT)
    return made


def test_right_answers_fill_every_cell_that_has_a_denominator(layout: Layout) -> None:
    layout.rotates(ROTATED)
    cells = layout.count().cells
    assert all(share.part == share.of for share in cells.values())
    assert {name: share.of for name, share in cells.items() if share.of} == {
        "qAcc_Ll": 2,
        "qAcc_Lh": 1,
        "qAcc_Lm": 3,
        "aAcc_Ll": 4,
        "aAcc_Lh": 2,
        "aAcc_Lm": 6,
        "mAcc": 1,
        "iAcc_N": 1,
        "iAcc_M": 1,
        "iAcc_NM": 2,
        "aAcc_N": 3,
        "aAcc_M": 3,
        "aAcc_S_low": 2,
        "aAcc_E_low": 2,
        "aAcc_S_high": 1,
        "aAcc_E_high": 1,
        "pAcc_B1": 2,
        "pAcc_B2": 1,
        "CI_circular_Lh": 1,
        "SI_circular": 1,
        "CI_vanilla_Lh": 1,
        "SI_vanilla": 1,
    }


def test_one_wrong_answer_counts_once_in_each_cell_it_is_part_of(layout: Layout) -> None:
    layout.says(RIGHT | {3: "yes"})
    cells = {name: tuple(share) for name, share in layout.count().cells.items() if share.part != share.of}
    assert cells == {
        "qAcc_Ll": (1, 2),
        "qAcc_Lm": (2, 3),
        "aAcc_Ll": (3, 4),
        "aAcc_Lm": (5, 6),
        "mAcc": (0, 1),
        "iAcc_M": (0, 1),
        "iAcc_NM": (1, 2),
        "aAcc_M": (2, 3),
        "aAcc_E_low": (1, 2),
        "pAcc_B1": (1, 2),
    }


def test_what_the_rule_does_not_read_takes_the_judges_verdict(layout: Layout) -> None:
    outputs = RIGHT | {0: "There is a hat", 1: "I see none", 2: "Perhaps"}
    layout.judged(outputs, {0: "Yes", 1: "Unknown", 2: "No", 3: "Yes"})
    assert layout.cell("aAcc_Lm") == (4, 6)
    assert layout.cell("aAcc_Lm", reading="rule") == (3, 6)


def test_an_answer_read_by_hand_stands_before_rule_and_verdict(layout: Layout) -> None:
    layout.judged(RIGHT | {1: "I see none"}, {1: "Unknown"})
    assert layout.cell("aAcc_Lm") == (5, 6)
    assert layout.cell("aAcc_Lm", by_hand={"1": "no"}) == (6, 6)


def test_table_5_counts_the_gold_word_anywhere_in_the_output(layout: Layout) -> None:
    layout.says(RIGHT | {0: "Oh yes", 3: "I do not know"})
    assert layout.cell("qAcc_Ll") == (0, 2)
    assert layout.cell("pAcc_B1") == (2, 2)
    assert layout.cell("pAcc_B1", reading="rule") == (0, 2)


def test_the_robust_reading_reads_what_the_papers_rule_does_not(layout: Layout) -> None:
    layout.says(RIGHT | {0: "The answer is yes.", 7: "The answer is (A)."})
    assert (layout.cell("aAcc_Lm"), layout.cell("SI_vanilla")) == ((5, 6), (0, 1))
    assert (layout.cell("aAcc_Lm", reading="robust"), layout.cell("SI_vanilla", reading="robust")) == ((6, 6), (1, 1))


def test_circular_needs_every_rotation_and_vanilla_the_pass_that_is_asked_for(layout: Layout) -> None:
    layout.rotates(ROTATED | {"7__1__1": "B", "6__0__0": "A"})
    assert layout.cell("SI_circular") == (0, 1)
    assert layout.cell("CI_circular_Lh") == (0, 1)
    assert layout.cell("CI_vanilla_Lh") == (1, 1)
    assert layout.cell("CI_vanilla_Lh", vanilla="rotation-0") == (0, 1)


def test_the_letter_is_compared_with_its_case_and_without_parentheses(layout: Layout) -> None:
    for output, right in (("A", 1), ("a", 0), ("(A)", 0), ("A)", 0), ("A, a cat", 1), (" A . b", 1)):
        layout.says(RIGHT | {7: output})
        assert layout.cell("SI_vanilla") == (right, 1)


def test_a_model_without_one_pass_has_the_cells_of_its_rotations(layout: Layout) -> None:
    layout.file("tiny.jsonl").unlink()
    layout.rotates(ROTATED)
    assert set(layout.count().cells) == {
        "CI_circular_Ll",
        "CI_circular_Lh",
        "SI_circular",
        "CI_vanilla_Ll",
        "CI_vanilla_Lh",
        "SI_vanilla",
    }


def test_a_cell_that_is_counted_from_nothing_has_no_value(layout: Layout) -> None:
    cell = layout.count().document()["cells"]["pAcc_S2"]
    assert (cell["value"], cell["numerator"], cell["denominator"]) == (None, 0, 0)


def test_equal_repeats_count_once_and_are_told(layout: Layout) -> None:
    path = layout.file("tiny.jsonl")
    path.write_text(path.read_text(encoding="utf-8") * 2, encoding="utf-8")
    assert layout.cell("aAcc_Lm") == (6, 6)
    assert layout.count().notes == ("8 records occur in the files more than once",)


def test_a_question_without_an_output_is_wrong_and_told(layout: Layout) -> None:
    layout.says({key: output for key, output in RIGHT.items() if key != 2})
    assert layout.cell("aAcc_Lm") == (5, 6)
    assert layout.count().notes == ("1 yes/no questions without an output count as wrong, such as 2",)


def test_outputs_may_be_named_text_and_may_be_null(layout: Layout) -> None:
    layout.says(RIGHT, field="text")
    assert layout.cell("aAcc_Lm") == (6, 6)
    lines(layout.file("tiny.jsonl"), [{"question_id": 0, "output": None}])
    assert layout.cell("aAcc_Lm") == (0, 6)


def test_an_unknown_model_is_refused_with_the_names_of_those_found(layout: Layout) -> None:
    layout.rotates(ROTATED)
    with pytest.raises(BenchwrightError, match=r"no files of a model named '\.\./tiny'; it has tiny$"):
        recount("mvp-bench", layout.root, "../tiny")


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", r"tiny\.jsonl: line 9: not JSON"),
        ("[1]", r"line 9: \[1\] is not a JSON object"),
        ('{"question_id": 99, "output": "A"}', "line 9: question_id '99' is not among the 8 questions"),
        ('{"question_id": 0}', "line 9: output is missing, not a text"),
        ('{"question_id": 0, "output": 3}', "line 9: output is 3, not a text"),
        ('{"question_id": 0, "output": "No"}', "line 9: question_id 0 has a different answer in an earlier line"),
        ('{"question_id": 0, "output": "Yes.", "extracted (GPT)": 1}', r"line 9: extracted \(GPT\) is 1"),
    ],
)
def test_a_damaged_line_is_named(layout: Layout, line: str, words: str) -> None:
    with layout.file("tiny.jsonl").open("a", encoding="utf-8") as handle:
        handle.write(line + "\n")
    with pytest.raises(DataError, match=words):
        layout.count()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("type", "essay", "line 1: type is 'essay', not one of"),
        ("level", None, "line 1: level is None, not a text"),
        ("id", "1", "line 1: id is '1', not a whole number"),
        ("question_id", 1, "line 2: question_id '1' occurs twice"),
    ],
)
def test_a_damaged_question_is_named(layout: Layout, field: str, value: Any, words: str) -> None:
    lines(layout.root / "data" / "all_questions.json", [QUESTIONS[0] | {field: value}, *QUESTIONS[1:]])
    with pytest.raises(DataError, match=words):
        layout.count()


def test_a_gzipped_file_that_is_cut_off_is_named(layout: Layout) -> None:
    path = layout.file("tiny.jsonl")
    whole = gzip.compress(path.read_bytes())
    path.unlink()
    path.with_name("tiny.jsonl.gz").write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match=r"tiny\.jsonl\.gz cannot be unpacked"):
        layout.count()


def test_a_folder_of_another_layout_is_refused(layout: Layout) -> None:
    (layout.root / "data" / "mcq_questions.json").unlink()
    with pytest.raises(DataError, match=r"contains neither mcq_questions\.json nor mcq_questions\.json\.gz"):
        layout.count()


def test_vanilla_can_be_the_rotation_that_comes_first_in_the_file(layout: Layout) -> None:
    turned = dict(reversed(list((ROTATED | {"7__1__0": "B"}).items())))
    layout.rotates(turned)
    assert layout.cell("SI_vanilla", vanilla="rotation-0") == (0, 1)
    assert layout.cell("SI_vanilla", vanilla="first-in-file") == (1, 1)


def test_table_5_pairs_answers_as_the_file_has_them(layout: Layout) -> None:
    """In order of completion an answer to pair 101 lies between those to pair 1."""
    order = [0, 4, 1, 2, 3, 5, 6, 7]
    layout.says({key: RIGHT[key] for key in order})
    reading = layout.count().readings["pAcc_B1"]
    assert tuple(reading.shares["gold word, pairs by question"]) == (2, 2)
    assert tuple(reading.shares["gold word, pairs as in the file"]) == (3, 3)
    assert tuple(layout.count().readings["pAcc_B2"].shares["gold word, pairs as in the file"]) == (0, 0)
