"""II-Bench whole: the bundled recipe from raw pictures to a release that verifies and scores, with simulated people.

Over parts of the demo's photographs, among them copies and a page of text, where a scripted endpoint takes the test
without the image; before a release also over published pictures of II-Bench.
"""

from __future__ import annotations

import json
import re
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, get_args

import pytest
import yaml
from chat_server import ChatServer, without_keys_and_proxies
from photograph_parts import PHOTOGRAPHS, photograph_parts
from PIL import Image, ImageDraw, ImageFont
from walks import run_json

from benchwright.questions.implication import Difficulty, Domain, Emotion, ImageType, Rhetoric
from benchwright.recipes import bundled_recipes
from benchwright.records import Item
from benchwright.release import Release

pytestmark = pytest.mark.slow

PEOPLE = {
    "pair": {"annotators": 3},
    "screen": {"annotators": 3, "discard_rate": 0.08},
    "describe": {"annotators": 4},
    "review": {"annotators": 20, "accuracy": 0.97, "approval": 0.92},
}
LABELS = {
    "image_type": ImageType, "domain": Domain, "emotion": Emotion, "rhetoric": Rhetoric, "difficulty": Difficulty,
}  # fmt: skip


def headless(folder: Path, **settings: dict[str, Any]) -> Path:
    """Write the bundled recipe with simulated people, and with further settings of its steps."""
    document = yaml.safe_load(bundled_recipes()["ii-bench"].read_text(encoding="utf-8"))
    for number, entry in enumerate(document["steps"]):
        step = {"step": entry} if isinstance(entry, str) else dict(entry)
        if step["step"] in PEOPLE:
            step["simulate"] = PEOPLE[step["step"]]
        document["steps"][number] = step | settings.get(step["step"], {})
    path = folder / "ii-bench.yaml"
    path.write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return path


def page_of_text(path: Path) -> None:
    """Write a picture that is words from edge to edge."""
    page = Image.new("RGB", (400, 300), "white")
    font = ImageFont.load_default(size=34)
    for line in range(7):
        ImageDraw.Draw(page).text((4, 42 * line), "WORDS UPON WORDS UPON", fill="black", font=font)
    page.save(path)


def write_collection(folder: Path, photographs: Path) -> Path:
    """Write parts of photographs as JPEGs, and what raw collections hold beside them."""
    folder.mkdir()
    for number, part in enumerate(photograph_parts(photographs, (*PHOTOGRAPHS, "chelsea.png", "camera.png"))):
        part.save(folder / f"part-{number:02}.jpg", quality=92)
    shutil.copyfile(folder / "part-00.jpg", folder / "same-bytes.jpg")
    with Image.open(folder / "part-01.jpg") as part:
        part.save(folder / "same-pixels.png")
    with Image.open(folder / "part-02.jpg") as part:
        part.resize((150, 133)).save(folder / "smaller.jpg", quality=85)
    page_of_text(folder / "page.png")
    (folder / "cut-short.jpg").write_bytes((folder / "part-03.jpg").read_bytes()[:900])
    return folder


class Made(NamedTuple):
    """A finished run: its steps by name, its workspace, its release with the items and the split of each."""

    steps: dict[str, dict[str, Any]]
    workspace: Path
    release: Path
    items: dict[str, Item]
    splits: dict[str, str]


def made_by(recipe: Path, images: Path, workspace: Path) -> Made:
    done = run_json("run", recipe, "--images", images, "--workspace", workspace, "--workers", 1)
    assert done["state"] == "done"
    assert {failure["reason"] for failure in done["failed"]} <= {"truncated"}
    path = workspace / done["artifacts"]["release"]
    released = list(Release.open(path).items())
    return Made(
        {step["name"]: step for step in done["steps"]},
        workspace,
        path,
        {each.item.item_id: each.item for each in released},
        {each.item.item_id: each.split for each in released},
    )


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    folder = tmp_path_factory.mktemp("ii-bench")
    images = write_collection(folder / "images", folder / "photographs")
    return made_by(headless(folder), images, folder / "w")


def test_copies_pages_of_text_and_what_people_discard_are_left_out_each_with_its_reason(made: Made) -> None:
    assert made.steps["ingest"]["dropped"] == {"same_bytes": 1, "truncated": 1}
    assert made.steps["exact_duplicates"]["dropped"] == {"exact_duplicate": 1}
    assert made.steps["near_duplicates"]["dropped"] == {"near_duplicate": 1}
    assert made.steps["text_ratio"]["dropped"] == {"too_much_text": 1}
    discarded = made.steps["screen"]["dropped"]
    assert made.steps["screen"]["kept"] == 81 - sum(discarded.values()) < 81


def test_the_release_has_every_label_of_the_closed_sets_and_six_options_each(made: Made) -> None:
    assert len(made.items) >= 60
    for name, words in LABELS.items():
        stated = {label for item in made.items.values() for label in str(item.attributes[name]).split("+")}
        assert stated == set(get_args(words)), name
    for item in made.items.values():
        texts = [choice.text for choice in item.choices]
        assert len(set(texts)) == 6
        assert texts["ABCDEF".index(item.answer or "")] == item.evidence["stated"]
        assert item.explanation
        assert item.written_by["question"] == item.written_by["choices"] == "simulated"
    a_picture = Counter(item.root_image_id for item in made.items.values())
    assert set(a_picture.values()) == {1, 2, 3}
    letters = Counter(item.answer for item in made.items.values())
    assert all(0.06 < letters[letter] / len(made.items) < 0.3 for letter in "ABCDEF")


def test_what_fails_comes_again_until_four_of_five_agree_on_the_answer_and_on_each_criterion(made: Made) -> None:
    campaigns = json.loads((made.release / "agreement.json").read_text(encoding="utf-8"))["campaigns"]
    review = campaigns["review"]
    assert (review["rule"], review["simulated"]) == ("at_least(4, of=5)", True)
    assert review["kept"] == len(made.items)
    rounds = review["rounds"]
    assert len(rounds) > 1
    assert [round_["items"] for round_ in rounds[1:]] == [round_["revised"] for round_ in rounds[:-1]]
    assert sum(round_["kept"] for round_ in rounds) == review["kept"]
    edits = {item_id: item.revision - ("reordered" in item.evidence) for item_id, item in made.items.items()}
    revised = [made.items[item_id] for item_id, number in edits.items() if number]
    assert len(revised) == rounds[1]["items"] - review["failed_review"] - review["out_of_rounds"]
    for item in revised:
        assert item.question.startswith("Look closely. " * edits[item.item_id] + "Simulated")


def test_dev_has_15_images_validation_20_and_test_the_rest_and_no_image_is_in_two(made: Made) -> None:
    images: dict[str, set[str]] = {}
    for item_id, split in made.splits.items():
        images.setdefault(split, set()).add(made.items[item_id].root_image_id)
    every = {item.root_image_id for item in made.items.values()}
    assert {split: len(ids) for split, ids in images.items()} == {
        "dev": 15, "validation": 20, "test": len(every) - 35,
    }  # fmt: skip
    assert sum(map(len, images.values())) == len(every)


def test_statistics_count_the_release_as_the_papers_table_1_does(made: Made) -> None:
    counted = run_json("release", "statistics", made.release)["implication"]
    assert (counted["questions"], counted["images"]) == (
        len(made.items), len({item.root_image_id for item in made.items.values()}),
    )  # fmt: skip
    domains = Counter(str(item.attributes["domain"]) for item in made.items.values())
    assert {row["label"]: row["questions"] for row in counted["labels"]["domain"]} == dict(domains)
    assert {row["split"]: row["images"] for row in counted["splits"]}["dev"] == 15


def test_it_verifies_and_scores_what_always_says_a_by_hand(made: Made, tmp_path: Path) -> None:
    assert run_json("release", "verify", made.release)["ok"]
    asked = {item_id: item for item_id, item in made.items.items() if made.splits[item_id] == "test"}
    rows = [json.dumps({"item_id": item_id, "reply": "The answer is (A)."}) for item_id in asked]
    (tmp_path / "a.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    score = run_json("evaluate", "score", made.release, tmp_path / "a.jsonl", "--split", "test", "--out", tmp_path)
    right = sum(item.answer == "A" for item in asked.values())
    accuracy = score["metrics"]["accuracy"]
    assert (accuracy["value"], accuracy["n"]) == (pytest.approx(right / len(asked)), len(asked))


class Memorised:
    """An endpoint that has seen some of the items: it names the right option of these, and of the others the first."""

    def __init__(self) -> None:
        self.items: dict[str, Item] = {}
        self.questions: list[list[str]] = []

    def reply(self, words: str, attempt: int, handler: Any) -> str:
        """Answer the question that stands last in the request."""
        del attempt, handler
        found = re.findall(r"Simulated question \d about picture [0-9a-f]{8}: which notion does it convey\?", words)
        self.questions.append(found)
        item = self.items.get(found[-1])
        if item is None:
            return "A"
        offered = dict(re.findall(r"^\(?([A-F])[).] (.*)$", words.rpartition(found[-1])[2], re.M))
        letters = [letter for letter, text in offered.items() if text.strip() == item.evidence["stated"]]
        return str(letters[0])


@pytest.fixture(scope="module")
def memorised() -> Iterator[tuple[Memorised, str]]:
    with pytest.MonkeyPatch.context() as patch:
        without_keys_and_proxies(patch)
        model, server = Memorised(), ChatServer()
        server.behave = model.reply
        yield model, server.url
        server.close()


@pytest.mark.thorough
def test_published_pictures_become_a_release_that_verifies_and_their_copies_go(ii_bench: Path, tmp_path: Path) -> None:
    (tmp_path / "images").mkdir()
    files = [path for path in (ii_bench / "images").rglob("*") if path.is_file()]
    for path in sorted(files, key=lambda path: (path.stat().st_size, path.name))[:PUBLISHED]:
        shutil.copyfile(path, tmp_path / "images" / f"{path.parent.name}-{path.name}")
    published = made_by(headless(tmp_path), tmp_path / "images", tmp_path / "w")
    assert len(published.items) >= 60
    assert published.steps["ingest"]["dropped"]["same_bytes"] > 0
    assert run_json("release", "verify", published.release)["ok"]


PUBLISHED = 50
"""Pictures of II-Bench that are enough for 60 items: each is searched for text, which takes most of the time."""


def test_a_model_that_remembers_items_is_found_by_the_test_without_the_image_above_its_threshold(
    made: Made, memorised: tuple[Memorised, str], tmp_path: Path
) -> None:
    model, url = memorised
    shutil.copytree(made.workspace, tmp_path / "w")
    written = {re.sub("^(Look closely. )+", "", item.question): item for item in made.items.values()}
    model.items = dict(sorted(written.items())[: len(written) * 2 // 3])
    chat = {"model": {"chat": {"model": "scripted", "base_url": url}, "sees": ["text"]}}
    again = made_by(headless(tmp_path, shortcuts=chat), made.workspace.parent / "images", tmp_path / "w")
    asked = again.steps["shortcuts"]["asked"]
    assert list(asked) == ["carries_shortcut"]
    assert asked["carries_shortcut"] >= len(model.items)
    assert again.steps["text_ratio"]["seconds"] == 0
    assert "model text only" in (again.release / "README.md").read_text(encoding="utf-8")


def test_examples_before_a_question_come_from_dev_and_a_model_that_knows_the_keys_scores_1(
    made: Made, memorised: tuple[Memorised, str], tmp_path: Path
) -> None:
    model, url = memorised
    model.items = {re.sub("^(Look closely. )+", "", item.question): item for item in made.items.values()}
    model.questions.clear()
    score = run_json(
        "evaluate", "run", made.release, "--model", "openai:scripted", "--base-url", url, "--split", "test",
        "--protocol", "ii-bench:shots=2", "--out", tmp_path,
    )  # fmt: skip
    assert score["metrics"]["accuracy"]["value"] == 1
    splits = {question: made.splits[item.item_id] for question, item in model.items.items()}
    assert len(model.questions) == score["metrics"]["accuracy"]["n"] > 0
    for first, second, last in model.questions:
        assert (splits[first], splits[second], splits[last]) == ("dev", "dev", "test")
