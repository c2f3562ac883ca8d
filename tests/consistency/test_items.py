"""One release with planted faults: steps, commands and the audit name the same items, tasks and rules."""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner
from PIL import Image
from small_bench import Bench
from worded_items import gathered

from benchwright.diagnostics.shortcuts.letter_groups import MIN_P
from benchwright.diagnostics.shortcuts.measuring import PicturesOfItem, cues_or_reason, evidence_or_none, facts_reader
from benchwright.filters.items.answer_balance import AnswerLetters
from benchwright.filters.items.duplicate_questions import DuplicateQuestions
from benchwright.filters.items.repeated_options import RepeatedOptions
from benchwright.filters.items.wording_bias import WordingBias
from benchwright.filters.shortcuts.step import CheatingSolvers, LearnedFrom, Shortcuts
from benchwright.records import LETTERS, Choice, ImageRecord, Item, ItemImage
from benchwright.rooms import find
from benchwright.steps import GatherContext

_WORDS = ["river", "table", "stone", "cloud", "tiger", "glass", "paper", "chair", "bread", "horse", "plant", "knife"]
_PLAIN, _LETTERED, _LONG, _EVEN = "plain", "lettered", "long", "even"
_AUDITED_QUESTIONS = {
    "repeated_question": "duplicate_question",
    "contradicting_keys": "contradicting_keys",
    "nearly_repeated_question": "near_duplicate_question",
}
_AUDITED_RULES = {
    "longest_option_is_right": "longest",
    "shortest_option_is_right": "shortest",
    "option_in_words_of_question_is_right": "most_shared",
    "typical_option_is_right": "most_typical",
    "odd_option_is_right": "odd_one_out",
    "option_in_other_form_is_right": "odd_form",
    "guessable_from_text": "learned",
}


class Scene(NamedTuple):
    """A release, its items, those with a planted fault by name, and what each command says of it."""

    items: list[Item]
    files: Mapping[str, bytes]
    planted: Mapping[str, Item]
    by_filter: dict[str, Any]
    by_shortcuts: dict[str, Any]
    flagged: dict[str, set[str]]
    by_audit: dict[str, Any]

    def findings(self, kinds: Iterable[str]) -> list[dict[str, Any]]:
        return [each for each in self.by_audit["findings"] if each["kind"] in set(kinds)]

    def ids(self, *names: str) -> frozenset[str]:
        return frozenset(self.planted[name].item_id for name in names)


class _Author:
    """Writes items about pictures of noise, of which none is like another."""

    def __init__(self) -> None:
        self.bench, self.planted, self._rng = Bench(), dict[str, Item](), random.Random(4)

    def picture(self) -> ImageRecord:
        pixels = np.random.default_rng(len(self.bench.files)).integers(0, 256, (48, 48, 3), np.uint8)
        buffer = BytesIO()
        Image.fromarray(pixels).save(buffer, "PNG")
        image_id = hashlib.sha256(buffer.getvalue()).hexdigest()
        record = ImageRecord(
            image_id=image_id, width=48, height=48, media_type="image/png", size_bytes=len(buffer.getvalue()),
            root_image_id=image_id,
        )  # fmt: skip
        self.bench.files[image_id], self.bench.records[image_id] = buffer.getvalue(), record
        return record

    def options(self) -> list[str]:
        return [f"the {word}" for word in self._rng.sample(_WORDS, 4)]

    def ask(
        self, task: str, right: int, options: list[str] | None = None, question: str | None = None,
        about: ImageRecord | None = None, name: str = "",
    ) -> Item:  # fmt: skip
        number = len(self.bench.items)
        picture = about or self.picture()
        item = self.bench.add(
            picture,
            "test",
            number,
            task=task,
            question=question or f"What is at {' and '.join(self._rng.sample(_WORDS, 3))} {number}?",
            images=(ItemImage(image_id=picture.image_id, role="picture"),),
            choices=tuple(Choice(key=key, text=text) for key, text in zip(LETTERS, options or self.options())),  # noqa: B905
            answer=LETTERS[right],
        )
        if name:
            self.planted[name] = item
        return item


def _written() -> _Author:
    author = _Author()
    for number in range(16):
        author.ask(_EVEN, number % 4)
        author.ask(_LETTERED, 1 if number else 2)
    for number in range(16):
        options = author.options()
        options[number % 4] += " that stands in the middle"
        author.ask(_LONG, number % 4, options)
    for name, question, options, right in (
        ("first", "What does the old man hold in his hand?", ["a rake", "a hat", "a spoon"], 0),
        ("equal", "what does the old man hold in his hand", ["a spoon", "A rake.", "a hat"], 1),
        ("near", "What does the old man hold in his hands?", ["a spade", "a fork", "a rope"], 2),
    ):
        about = author.planted["first"].images[0].image_id if author.planted else None
        author.ask(_PLAIN, right, options, question, about and author.bench.records[about], name)
    about = author.picture()
    author.ask(_PLAIN, 0, ["red wine", "cold water", "green tea"], "Which drink stands there?", about, "one key")
    author.ask(_PLAIN, 1, ["red wine", "cold water", "green tea"], "Which drink stands there?", about, "other key")
    about = author.picture()
    author.ask(_PLAIN, 2, ["wet sand", "deep snow", "short grass"], "On what does she walk?", about, "walk")
    author.ask(_PLAIN, 0, ["short grass", "wet sand", "deep snow"], "Name the ground below.", about, "ground")
    author.ask(_PLAIN, 1, ["A dog.", "an owl", "a  DOG"], name="option twice")
    author.ask(_PLAIN, 2, ["the colour of grief", "the color of grief", "the end of it"], name="options alike")
    return author


def _json(command: str, *args: str | Path) -> dict[str, Any]:
    loaded = find("commands", command).load()
    result = CliRunner().invoke(loaded, [*map(str, args), "--json"], catch_exceptions=False)
    document: dict[str, Any] = json.loads(result.stdout)
    return document


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Scene:
    folder, author = tmp_path_factory.mktemp("items"), _written()
    release = author.bench.write(folder / "release").path
    by_shortcuts = _json("filter shortcuts", release, "--workers", 1, "--out", folder / "shortcuts")
    lines = (folder / "shortcuts" / "items.jsonl").read_text(encoding="utf-8").splitlines()
    flagged = {row["item_id"]: set(row["solvers"]) for row in map(json.loads, lines) if row["solvers"]}
    return Scene(
        [item for item, _ in author.bench.items],
        author.bench.files,
        author.planted,
        _json("filter items", release),
        by_shortcuts,
        flagged,
        _json("audit", release, "--out", folder / "audit", "--workers", 1),
    )


def _groups(repetitions: Iterable[tuple[str, Iterable[str], str]]) -> set[tuple[str, frozenset[str]]]:
    """Return the reason and the items of each group of (item, others, reason)."""
    return {(reason, frozenset((item_id, *of))) for item_id, of, reason in repetitions}


@pytest.mark.slow
def test_the_same_questions_are_asked_twice(scene: Scene) -> None:
    expected = {
        ("duplicate_question", scene.ids("first", "equal")),
        ("contradicting_keys", scene.ids("one key", "other key")),
        ("near_duplicate_question", scene.ids("walk", "ground")),
    }
    said = gathered(DuplicateQuestions(), scene.items)
    by_step = _groups(
        (
            item_id,
            [one.evidence["of"]] if "of" in one.evidence else one.evidence.get("equal_items")
            or [partner["item_id"] for partner in one.evidence["partners"]],
            str(one.reason),
        )
        for item_id, one in said.items()
    )  # fmt: skip
    kept = min(scene.ids("first", "equal"))
    expected.add(("near_duplicate_question", frozenset({kept, *scene.ids("near")})))
    assert by_step == expected
    assert _groups((each["item_id"], each["of"], each["reason"]) for each in scene.by_filter["questions"]) == expected
    assert {
        (_AUDITED_QUESTIONS[each["kind"]], frozenset(each["items"])) for each in scene.findings(_AUDITED_QUESTIONS)
    } == expected


def test_the_same_options_repeat(scene: Scene) -> None:
    step, by_step = RepeatedOptions(), {}
    for item in scene.items:
        outcome = step.judge(step.measure(item, None).values)  # type: ignore[arg-type]
        if outcome.reason is not None:
            by_step[item.item_id] = outcome.reason
    expected = {
        scene.planted["option twice"].item_id: "repeated_option",
        scene.planted["options alike"].item_id: "similar_options",
    }
    assert by_step == expected
    assert {
        each["item_id"]: reason
        for reason, name in (("repeated_option", "repeated_options"), ("similar_options", "similar_options"))
        for each in scene.by_filter[name]
    } == expected
    assert {
        item: each["kind"] for each in scene.findings({"repeated_option", "similar_options"}) for item in each["items"]
    } == expected


def test_the_same_tasks_have_uneven_letters(scene: Scene) -> None:
    letters = AnswerLetters(per="task", min_p=MIN_P, mend="ask")
    said = gathered(letters, scene.items)
    assert {one.evidence["task"] for one in said.values() if one.verdict == "ask"} == {_LETTERED}
    assert {each["task"] for each in scene.by_filter["letters"] if each["uneven"]} == {_LETTERED}
    assert {each["evidence"]["task"] for each in scene.findings({"key_letters_uneven"})} == {_LETTERED}
    assert {
        task["task"]
        for task in scene.by_shortcuts["tasks"]
        if any(solver["carries"] and solver["family"] == "letter" for solver in task["solvers"])
    } == {_LETTERED}


def test_the_same_rules_over_words_give_the_same_items_away(scene: Scene) -> None:
    task_of = {item.item_id: item.task for item in scene.items}
    said = gathered(WordingBias(), scene.items)
    by_step = {(task_of[item_id], rule, item_id) for item_id, one in said.items() for rule in one.values["rules"]}
    by_audit = {
        (each["evidence"]["task"], _AUDITED_RULES[each["kind"]], item)
        for each in scene.findings(_AUDITED_RULES)
        for item in each["items"]
    }
    assert by_audit == by_step
    assert {item for task, rule, item in by_step if (task, rule) == (_LONG, "longest")} == {
        item.item_id for item in scene.items if item.task == _LONG
    }
    assert {(each["task"], each["rule"]) for each in scene.by_filter["rules"] if each["gives_away"]} == {
        (task, rule) for task, rule, _ in by_step
    }


def test_the_same_items_can_be_answered_without_doing_the_task(scene: Scene) -> None:
    keyed = [
        (item, cues, evidence_or_none(item, PicturesOfItem(scene.files)))
        for item in scene.items
        if not isinstance(cues := cues_or_reason(item, facts_reader(PicturesOfItem(scene.files))), str)
    ]
    columns = {
        "item_id": [item.item_id for item, _, _ in keyed],
        "task": [item.task for item, _, _ in keyed],
        "root_image_id": [item.root_image_id for item, _, _ in keyed],
        "group_keys": [list(item.group_keys) for item, _, _ in keyed],
        "cues.cues": [cues.to_text() for _, cues, _ in keyed],
        "seen.measures": [None if seen is None else seen.to_text() for _, _, seen in keyed],
    }
    chosen = LearnedFrom().gather(pa.table(columns), GatherContext(0, "shortcuts.learned"))
    assert chosen.rows.tolist() == list(range(len(keyed)))
    step = next(part for part in Shortcuts().parts() if isinstance(part, CheatingSolvers))
    found = step.gather(pa.table(columns), GatherContext(0, "shortcuts.solvers"))
    by_step = {
        keyed[row][0].item_id: set(names)
        for row, names in zip(found.rows.tolist(), found.values["solvers"], strict=True)
        if names
    }
    assert by_step == scene.flagged
    assert any(name.startswith("learned ") for names in by_step.values() for name in names)
    assert by_step.keys() >= {item.item_id for item in scene.items if item.task == _LONG}
    kinds = {each["kind"] for each in scene.by_audit["findings"] if each["kind"].startswith("shortcut_")}
    kinds |= {"learned_cue", *_AUDITED_RULES}
    named = {item for each in scene.findings(kinds) for item in each["items"]}
    lettered = {item.item_id for item in scene.items if item.task == _LETTERED}  # a cue of the task: it names no items
    assert by_step.keys() - lettered == named - lettered
