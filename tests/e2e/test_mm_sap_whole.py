"""MM-SAP whole: the bundled recipe over VQAv2, Visual Genome, COCO and a table, to a release that verifies and scores.

The pictures are parts of the demo's photographs; what the files say of them is made up, in the layouts of the datasets.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from chat_server import ChatServer, without_keys_and_proxies
from dataset_fixtures.coco_files import LICENCES
from dataset_fixtures.vqa_files import answered, write_vqa_documents
from doc_pages import COMMANDS
from photograph_parts import photograph_parts
from PIL import Image
from walks import run_json

from benchwright.questions.self_awareness import part_of
from benchwright.recipes import bundled_recipes, companions
from benchwright.records import Item
from benchwright.release import Release
from benchwright.terminal.output import JsonOption

pytestmark = pytest.mark.slow

COLORS, SHAPES = ("red", "blue", "green", "black"), ("round", "square", "hexagonal", "triangular")
SCENES, ACTIONS = ("kitchen", "beach", "forest", "office"), ("surfing", "eating", "skiing", "sleeping")
WORDS, THINGS = ("stop", "exit", "open", "sale"), ("a laptop", "a racket", "an umbrella", "a kite")
ASKED = (
    ("What color is the large sign?", COLORS), ("What shape is the large sign?", SHAPES),
    ("What place does the picture show?", SCENES), ("What is the tall man doing?", ACTIONS),
    ("What does the large sign say?", WORDS), ("What is the tall man holding?", THINGS),
)  # fmt: skip
LABELS = ("dog", "cup", "chair", "car", "cat", "bowl", "bench", "boat")
ENTITIES = {
    "animals_and_plants": ("bird", "Hoopoe", "Kingfisher", "Osprey", "Nightjar"),
    "brands_and_products": ("camera", "Leica M3", "Nikon F2", "Olympus Pen", "Zenit E"),
    "art": ("painting", "Onement", "Guernica", "Nighthawks", "Composition VIII"),
    "landmarks": ("lake", "Lake Nyos", "Lake Tahoe", "Lake Baikal", "Lake Como"),
    "food": ("dish", "Mapo tofu", "Moussaka", "Ratatouille", "Paella"),
    "organizations": ("agency", "World Food Programme", "Red Cross", "Amnesty International", "World Bank"),
}


def save(picture: Image.Image, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    picture.save(path, quality=92)


def write_data(folder: Path, photographs: Path) -> Path:
    """Write the datasets into a folder, each as its authors lay it out."""
    pictures = photograph_parts(photographs)
    questions: list[dict[str, Any]] = []
    annotations: list[dict[str, Any]] = []
    for ask, answers in ASKED:
        for answer in answers:
            number = len(questions) + 1
            questions.append({"image_id": number, "question": ask, "question_id": number * 1000})
            annotations.append(answered(questions[-1], answer, ["other"]))
            save(next(pictures), folder / "vqa" / "val2014" / f"COCO_val2014_{number:012}.jpg")
    write_vqa_documents(folder / "vqa", questions, annotations)
    write_genome(folder / "genome", pictures)
    write_coco(folder / "coco", pictures)
    rows = ["image,entity,kind,domain,licence"]
    for domain, (kind, *names) in ENTITIES.items():
        for name in names:
            path = f"{name.lower().replace(' ', '-')}.png"
            save(next(pictures), folder / path)
            rows.append(f"{path},{name},{kind},{domain},CC0")
    (folder / "entities.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return folder


def write_genome(folder: Path, pictures: Iterator[Image.Image]) -> None:
    """Write four questions of Visual Genome on where something is."""
    listed, asked = [], []
    for number, answer in enumerate(
        ("On the table.", "Under the bed.", "Near the window.", "Behind the door."), start=1
    ):
        url = f"https://cs.stanford.edu/people/rak248/VG_100K/{number}.jpg"
        listed.append({"image_id": number, "url": url, "width": 180, "height": 160, "coco_id": None})
        qas = [{"qa_id": number, "image_id": number, "question": "Where is the key?", "answer": answer}]
        asked.append({"id": number, "qas": qas})
        save(next(pictures), folder / "VG_100K" / f"{number}.jpg")
    for name, document in (("image_data", listed), ("question_answers", asked)):
        (folder / f"{name}.json").write_text(json.dumps(document), encoding="utf-8")


def write_coco(folder: Path, pictures: Iterator[Image.Image]) -> None:
    """Write boxes of things: one to four of a name, beside another thing."""
    images, boxes = [], []
    for number, _ in enumerate(LABELS, start=101):
        name = f"COCO_val2014_{number:012}.jpg"
        images.append({"id": number, "file_name": name, "width": 180, "height": 160, "license": 4,
                       "coco_url": f"http://images.cocodataset.org/val2014/{name}"})  # fmt: skip
        save(next(pictures), folder / "val2014" / name)
        first, second = (number - 101) % 8 + 1, (number - 100) % 8 + 1
        for k in range((number - 101) % 4 + 1):
            boxes.append((number, first, [10 + 25 * k, 20, 20, 30]))
        boxes.append((number, second, [140, 20, 30, 30]))
    annotations = [
        {"id": place, "image_id": number, "category_id": category, "bbox": box, "area": 600, "iscrowd": 0}
        for place, (number, category, box) in enumerate(boxes, start=1)
    ]
    categories = [{"id": place, "name": label, "supercategory": "x"} for place, label in enumerate(LABELS, start=1)]
    document = {
        "info": {},
        "licenses": LICENCES,
        "images": images,
        "annotations": annotations,
        "categories": categories,
    }
    (folder / "annotations").mkdir()
    (folder / "annotations" / "instances_val2014.json").write_text(json.dumps(document), encoding="utf-8")


def headless(folder: Path, **settings: dict[str, Any]) -> Path:
    """Return a copy of the bundled recipe whose people are simulated, with facts about one picture of the data.

    Args:
        folder: Where the copy goes.
        settings: Further settings by step.
    """
    path = bundled_recipes()["mm-sap"]
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    for number, entry in enumerate(document["steps"]):
        name = entry if isinstance(entry, str) else entry["step"]
        if name in ("verify", "answer"):
            document["steps"][number] = {**entry, "simulate": {"annotators": 3}}
        elif name in settings:
            document["steps"][number] = {"step": name, **settings[name]}
    [facts] = companions(path)
    text = facts.read_text(encoding="utf-8").replace("coffee.png", "guernica.png").replace("[600, 400]", "[180, 160]")
    (folder / facts.name).write_text(text, encoding="utf-8")
    (folder / "mm-sap.yaml").write_text(yaml.safe_dump(document, sort_keys=False), encoding="utf-8")
    return folder / "mm-sap.yaml"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mm-sap")
    return write_data(folder / "data", folder / "photographs")


def released_by(recipe: Path, data: Path, workspace: Path) -> tuple[Path, list[Item]]:
    """Run a recipe to its release, and return that with its items."""
    done = run_json("run", recipe, "--images", data, "--workspace", workspace, "--workers", 1)
    assert (done["state"], done["failed"]) == ("done", [])
    [release] = (workspace / "releases").iterdir()
    return release, [released.item for released in Release.open(release).items()]


@pytest.fixture(scope="module")
def made(data: Path) -> tuple[Path, list[Item]]:
    return released_by(headless(data.parent), data, data.parent / "w")


def test_the_release_has_all_kinds_domains_and_categories_with_five_options_each(
    made: tuple[Path, list[Item]],
) -> None:
    _, items = made
    assert len(items) >= 60
    assert {len(item.choices) for item in items} == {5}
    assert all(item.refusal is not None for item in items)
    categories = {
        part: {item.category for item in items if part_of(item.answer, item.level) == part and item.category}
        for part in ("basic", "know", "beyond")
    }
    assert {part: len(names) for part, names in categories.items()} == {"basic": 8, "know": 6, "beyond": 6}
    assert "beyond_the_image" in {item.task for item in items}


def test_letters_are_balanced_and_counted_as_the_papers_tables_are(made: tuple[Path, list[Item]]) -> None:
    release, items = made
    counted = run_json("release", "statistics", release)["awareness"]
    assert counted["items"] == len(items)
    assert sum(part["items"] for part in counted["parts"]) == len(items)
    words = [len(item.question.split()) for item in items]
    assert counted["words"]["queries"] == pytest.approx(sum(words) / len(words))
    for name, key in (("correct", "answer"), ("refusal", "refusal")):
        letters = Counter(getattr(item, key) for item in items)
        assert {row["letter"]: row["items"] for row in counted["letters"][name]} == {
            letter: letters[letter] for letter in "ABCDE"
        }
        assert all(0.12 <= row["share"] <= 0.28 for row in counted["letters"][name])
    [document] = [option.document for option in COMMANDS["release statistics"].params if isinstance(option, JsonOption)]
    documented = set(re.findall(r'"(\w+)"', document))
    assert set(counted) <= documented
    assert set(counted["parts"][0]) | set(counted["parts"][0]["categories"][0]) <= documented


def test_it_verifies_and_scores_what_always_declines_by_hand(made: tuple[Path, list[Item]], tmp_path: Path) -> None:
    release, items = made
    assert run_json("release", "verify", release)["ok"]
    rows = [json.dumps({"item_id": item.item_id, "reply": f"({item.refusal})"}) for item in items]
    (tmp_path / "declines.jsonl").write_text("\n".join(rows) + "\n", encoding="utf-8")
    score = run_json("evaluate", "score", release, tmp_path / "declines.jsonl", "--out", tmp_path / "results")
    metrics = score["metrics"]
    beyond = sum(item.answer is None for item in items)
    assert metrics["mm_sap/score_kk"]["value"] == 0
    assert metrics["mm_sap/score_ku/beyond"]["value"] == 1
    assert metrics["mm_sap/score_ku/basic"]["value"] == 0
    assert metrics["mm_sap/score_kk/beyond"]["n"] == beyond


FAMILIES = (
    COLORS, SHAPES, SCENES, ACTIONS, WORDS, THINGS, ("1", "2", "3", "4", "5"), tuple(f"a {label}" for label in LABELS),
    ("on the table", "under the bed", "near the window", "behind the door"),
    ("Nighthawks", "Sunflowers", "Haystacks", "Bathers"), ("Guernica", "Olympia", "Primavera", "Ophelia"),
    *(tuple(names) for _, *names in ENTITIES.values()),
)  # fmt: skip
"""What an option can be replaced by."""


class OptionWriter:
    """An endpoint that writes options of the right one's family: at first too few for one question, prose for another.

    Whatever else it is asked, it says C.
    """

    SENT_BACK, NEVER_USABLE = "Zenit E", "Onement"

    def __init__(self) -> None:
        self.requests: Counter[str] = Counter()

    def reply(self, words: str, attempt: int, handler: Any) -> str:
        """Answer one request."""
        del attempt, handler
        asked = next((line for line in words.splitlines() if '"wanted":' in line), None)
        if asked is None:
            return "(C)"
        document = json.loads(asked)
        right, wanted = document["right"], document["wanted"]
        self.requests[right] += 1
        if right == self.NEVER_USABLE:
            return "I would rather describe the picture."
        family = next(family for family in FAMILIES if right.lower() in map(str.lower, family))
        others = [name for name in family if name.lower() != right.lower()][:wanted]
        if right == self.SENT_BACK and self.requests[right] == 1:
            others = others[:1]
        return json.dumps({"distractors": others})


@pytest.fixture(scope="module")
def endpoint() -> Iterator[tuple[OptionWriter, str]]:
    with pytest.MonkeyPatch.context() as patch:
        without_keys_and_proxies(patch)
        writer, server = OptionWriter(), ChatServer()
        server.behave = writer.reply
        yield writer, server.url
        server.close()


def test_a_served_model_writes_the_options_and_every_text_says_who_wrote_it(
    data: Path, endpoint: tuple[OptionWriter, str], tmp_path: Path
) -> None:
    writer, url = endpoint
    settings = {
        step: {"mode": "paper", "chat": {"model": "scripted", "base_url": url}}
        for step in ("basic_vis_qa", "know_vis_qa")
    }
    release, items = released_by(headless(tmp_path, **settings), data, tmp_path / "w")
    assert len(items) >= 60
    assert run_json("release", "verify", release)["ok"]
    categories = {(part_of(item.answer, item.level), item.category) for item in items if item.category}
    assert Counter(part for part, _ in categories) == {"basic": 8, "know": 6, "beyond": 6}
    written = {(item.category, item.written_by["choices"]) for item in items if item.task.endswith("w_vis_qa")}
    assert written == {(domain, "model:scripted") for domain in ENTITIES}
    sides = {
        item.category for item in items if item.task == "basic_vis_qa" and item.written_by["choices"] == "template"
    }
    assert sides == {"position"}  # left, right, above, below: nothing to write
    assert {item.written_by["choices"] for item in items if item.answer is None} <= {"template", "person"}
    assert (writer.requests[writer.SENT_BACK], writer.requests[writer.NEVER_USABLE]) == (2, 2)
    named = {choice.text for item in items for choice in item.choices if choice.key == item.answer}
    assert writer.SENT_BACK in named
    assert writer.NEVER_USABLE not in named

    score = run_json(
        "evaluate", "run", release, "--model", "openai:scripted", "--base-url", url, "--out", tmp_path / "results"
    )
    right = sum((item.answer or item.refusal) == "C" for item in items)
    assert score["metrics"]["accuracy"]["value"] == pytest.approx(right / len(items))
