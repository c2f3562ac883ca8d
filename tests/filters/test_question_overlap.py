"""Questions whose words occur in a corpus: found in texts of every kind and size, and not by chance."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import pytest
from pydantic import ValidationError
from walks import run_json
from worded_items import gathered, item

from benchwright.filters.contamination.question_overlap import QuestionOverlap
from benchwright.questions.overlap import SharedRuns, corpus_words, words_of
from benchwright.steps import FOLDER

LONG = "Which of the two climbers on the icy ridge above the valley holds the longer rope in her left hand?"
SHORT = "Who wears the striped woollen scarf?"
FILLER = "Nothing in this line has anything to do with what is asked anywhere. "


def shared(texts: list[str], place: Path, *, n: int = 13) -> dict[int, str]:
    return {text: overlap.where for text, (_, overlap) in SharedRuns(texts, n=n).first_overlaps([place]).items()}


def test_thirteen_words_in_a_row_count_in_any_case_and_punctuation_and_twelve_do_not(tmp_path: Path) -> None:
    words = words_of(LONG)
    corpus = tmp_path / "corpus.txt"
    corpus.write_text(f"{FILLER}\n{' '.join(words[3:16]).upper()}!\n{FILLER}", encoding="utf-8")
    assert shared([SHORT, LONG], corpus) == {1: "corpus.txt"}
    corpus.write_text(f"{FILLER}\n{' '.join(words[3:15])}\n{FILLER}", encoding="utf-8")
    assert shared([SHORT, LONG], corpus) == {}
    assert shared([SHORT, LONG], corpus, n=8) == {1: "corpus.txt"}


def test_a_short_question_counts_as_a_whole_and_one_of_four_words_never(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.md"
    corpus.write_text("Quiz: who wears the striped, woollen scarf? What is shown here?", encoding="utf-8")
    assert shared(["What is shown here?", SHORT], corpus) == {1: "corpus.md"}


def test_json_lines_packed_files_and_folders_are_read_and_name_file_and_line(tmp_path: Path) -> None:
    row = {"id": 7, "question": SHORT, "choices": ["a", "b"], "meta": {"asked": [LONG]}}
    lines = [json.dumps({"question": FILLER}), json.dumps(row), "{not JSON"]
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "train.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    (tmp_path / "picture.png").write_bytes(LONG.encode())
    assert shared([LONG, SHORT], tmp_path) == dict.fromkeys((0, 1), "sub/train.jsonl.gz, line 2")


@pytest.mark.slow
def test_what_stands_across_the_border_of_two_pieces_is_found_and_memory_does_not_grow(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    runs = SharedRuns([LONG])

    def peak(copies: int) -> int:
        filler = FILLER * copies
        with corpus.open("w", encoding="utf-8") as handle:
            handle.write(filler[: (1 << 18) - 40] + LONG + filler)
        del filler
        tracemalloc.start()
        assert runs.first_overlaps([corpus])[0][1].where == "corpus.txt"
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    small = peak(8_000)
    assert corpus.stat().st_size > 500_000
    assert peak(40_000) < 1.3 * small


def test_pieces_repeat_the_last_words_and_a_word_without_an_end_is_no_trap(tmp_path: Path) -> None:
    corpus = tmp_path / "one-word.txt"
    corpus.write_text("x" * 1_000_000, encoding="utf-8")
    assert sum(len(word) for _, words in corpus_words(corpus, overlap=0) for word in words) == 1_000_000


def test_languages_without_spaces_count_by_character(tmp_path: Path) -> None:
    corpus = tmp_path / "corpus.txt"
    corpus.write_text("前文。这张图片里左边的那只猫在看什么东西呢?后文。", encoding="utf-8")
    assert shared(["这张图片里左边的那只猫在看什么东西呢？"], corpus) == {0: "corpus.txt"}


def test_a_corpus_that_is_not_there_holds_no_text_or_is_damaged_is_named(tmp_path: Path) -> None:
    for place, words in (("nowhere", "does not exist"), (".", "holds no text")):
        with pytest.raises(ValidationError, match=words):
            QuestionOverlap.model_validate({"against": [place]}, context={FOLDER: tmp_path})
    (tmp_path / "cut.txt.gz").write_bytes(gzip.compress(b"words " * 9000)[:40])
    with pytest.raises(Exception, match=r"cut\.txt\.gz cannot be unpacked"):
        list(corpus_words(tmp_path / "cut.txt.gz"))


def test_another_content_of_a_corpus_is_another_setting_and_another_place_is_not(tmp_path: Path) -> None:
    digests = []
    for name, text in (("a", "one"), ("b", "one"), ("c", "two")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "corpus.txt").write_text(text, encoding="utf-8")
        step = QuestionOverlap.model_validate({"against": [f"{name}/corpus.txt"]}, context={FOLDER: tmp_path})
        digests.append(step.parameters()["against"])
    assert digests[0] == digests[1] != digests[2]


def test_the_step_asks_about_what_a_corpus_holds_and_says_where(tmp_path: Path) -> None:
    items = [item("one", LONG, ["red", "blue"]), item("two", SHORT, ["a cat", "a dog"]), item("three", "Is it?")]
    rows = [{"question": FILLER}, {"question": SHORT, "choices": ["A cat", "A dog"]}]
    (tmp_path / "train.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    step = QuestionOverlap.model_validate({"against": ["train.jsonl"]}, context={FOLDER: tmp_path})
    outcomes = gathered(step, items)
    assert list(outcomes) == [items[1].item_id]
    [outcome] = outcomes.values()
    assert (outcome.verdict, outcome.reason) == ("ask", "words_in_corpus")
    assert outcome.evidence == {
        "against": 0, "where": "train.jsonl, line 2", "words": "who wears the striped woollen scarf a cat a dog",
    }  # fmt: skip


def test_an_audit_finds_the_same_in_a_corpus_and_says_nothing_without_one(tmp_path: Path) -> None:
    rows = [{"question": question, "A": "red", "B": "blue", "answer": "A"} for question in (LONG, SHORT)]
    (tmp_path / "bench.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    (tmp_path / "corpus").mkdir()
    (tmp_path / "corpus" / "page.txt").write_text(f"{FILLER} {LONG} {FILLER}", encoding="utf-8")
    audit = ("audit", tmp_path / "bench.jsonl", "--out", tmp_path / "out", "--workers", 1)
    report = run_json(*audit, "--corpus", tmp_path / "corpus")
    [finding] = [finding for finding in report["findings"] if finding["kind"] == "question_elsewhere"]
    assert len(finding["items"]) == 1
    assert finding["evidence"]["where"] == "page.txt"
    without = run_json(*audit)
    [check] = [check for check in without["checks"] if check["name"] == "questions_elsewhere"]
    assert check["state"] == "skipped"
    assert "--corpus" in check["why"]
