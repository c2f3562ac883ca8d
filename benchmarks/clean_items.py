"""A clean set of questions about distinct pictures, into which `planted_faults.py` plants faults.

Its tasks, which reveal nothing by construction:

- `implication`: II-Bench's questions with its pictures, if its folder is given. One question per picture, without the
  questions that state an option twice. Most keys are sealed, so all keys are drawn at random: the light audit's checks
  cannot notice this, and replies are simulated from the drawn keys.
- `details`: disjoint cuts of the photographs that scikit-image and scikit-learn ship, with the question which
  photograph each is from. Four photographs share their four options, and each of them is right once.
- `things`, `leftmost`, `relations`: fully known rendered rooms, with questions about the things in them.

The letters of the keys are as balanced as possible within each task. Every row has its own group, a license and a
split.
"""

from __future__ import annotations

import json
import shutil
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "examples"))

import rendered_scenes

LETTERS = "ABCDEF"
COLUMNS = ("id", "task", "question", *LETTERS, "answer", "image", "split", "group", "licence", "explanation")
LICENCE = "CC-BY-4.0"
SCENE_WH = (400, 300)
TILE_PX = 210
_DULL = 10.0
"""Standard deviation of gray levels, 0-127.5, below which a cut of a photograph shows too little for a question."""
_CAPTIONS = {
    "astronaut.png": "a portrait of an astronaut", "camera.png": "a man behind a camera", "chelsea.png": "a tabby cat",
    "coffee.png": "a cup of coffee", "coins.png": "old coins in rows", "hubble_deep_field.jpg": "distant galaxies",
    "ihc.png": "tissue under a microscope", "motorcycle_left.png": "a motorcycle in a shed",
    "retina.jpg": "the back of an eye", "rocket.jpg": "a rocket on its pad", "china.jpg": "a Chinese temple",
    "flower.jpg": "a dahlia in bloom", "brick.png": "a brick wall", "grass.png": "a lawn", "gravel.png": "gravel",
    "moon.png": "craters of the moon",
}  # fmt: skip
ASKED = {
    "details": (
        "What is this a detail of?", "From which picture was this part taken?", "What would the whole picture show?",
    ),
    "things": (
        "Which of these things stands in the room?", "What can be seen here?", "Which one does the picture show?",
    ),
    "leftmost": ("Which of these is farthest to the left?", "Which thing stands left of the other three?"),
    "relations": (
        "Is the {first} {side} of the {second}?", "Seen from here, does the {first} stand {side} of the {second}?",
    ),
}  # fmt: skip

"""Wordings of the questions of each task."""

Row = dict[str, str]


class Question(NamedTuple):
    """A question with its picture: options in any order, the place of the right one, and the file's name."""

    task: str
    question: str
    options: tuple[str, ...]
    right: int
    image: str


def clean_set(folder: Path, count: int, seed: int, ii_bench: Path | None) -> list[Row]:
    """Write the pictures of a clean set below `folder/images` and return its rows.

    Args:
        folder: Empty folder.
        count: Number of items.
        seed: Seed of all random draws, including rendered scenes.
        ii_bench: Folder of II-Bench's repository; without it more scenes are rendered instead.
    """
    (folder / "images").mkdir(parents=True)
    rng = np.random.default_rng([seed, 1])
    found = [*_details(folder, rng), *(_implications(folder, ii_bench, rng) if ii_bench else ())]
    questions = [*found, *_scenes(folder, rng, count - len(found), seed)]
    return [
        {
            "id": f"q{number:03}",
            "task": each.task,
            "question": each.question,
            **dict.fromkeys(LETTERS, ""),
            **dict(zip(LETTERS, options, strict=False)),
            "answer": letter,
            "image": f"images/{each.image}",
            "split": ("train", "test")[int(rng.random() < 0.5)],
            "group": f"g{number:03}",
            "licence": LICENCE,
            "explanation": f"The right answer is {letter}." if number % 4 == 0 else "",
        }
        for number, (each, options, letter) in enumerate(_placed(questions, rng))
    ]


def _placed(questions: Sequence[Question], rng: np.random.Generator) -> list[tuple[Question, list[str], str]]:
    """Return the questions in another order, each with its options ordered so that letters are even in a task."""
    decks: defaultdict[tuple[str, int], list[int]] = defaultdict(list)
    placed = []
    for number in rng.permutation(len(questions)).tolist():
        each = questions[number]
        size = len(each.options)
        if each.options == ("Yes", "No"):
            placed.append((each, list(each.options), LETTERS[each.right]))
            continue
        deck = decks[each.task, size]
        if not deck:
            deck.extend(rng.permutation(size).tolist())
        place = deck.pop()
        others = [each.options[other] for other in rng.permutation(size).tolist() if other != each.right]
        placed.append((each, [*others[:place], each.options[each.right], *others[place:]], LETTERS[place]))
    return placed


def _implications(folder: Path, ii_bench: Path, rng: np.random.Generator) -> Iterator[Question]:
    """Yield II-Bench's questions, one per distinct picture, with drawn keys."""
    known = json.loads((ii_bench / "expected.json").read_text(encoding="utf-8"))
    again = {name for group in known["duplicate_groups"] for name in group[1:]}
    again |= {pair["b"] for pair in known["near_duplicate_pairs"]}
    for file in ("dev.json", "test_subset.json"):
        for record in json.loads((ii_bench / "data" / file).read_text(encoding="utf-8")):
            question = record["questions"][0]
            options = tuple(question["options"])
            if question["id"] in again or len({option.strip().casefold() for option in options}) < len(options):
                continue
            picture = Path(record["local_path"])
            shutil.copyfile(ii_bench / picture, folder / "images" / picture.name)
            yield Question("implication", question["question"], options, int(rng.integers(len(options))), picture.name)


def _details(folder: Path, rng: np.random.Generator) -> Iterator[Question]:
    """Yield questions about disjoint cuts of photographs, four photographs at a time."""
    cuts: dict[str, list[tuple[str, Image.Image]]] = {}
    for file in _photographs():
        with Image.open(file) as opened:
            image = opened.convert("RGB")
        named = [(f"{file.stem}-{number}.jpg", cut) for number, cut in enumerate(_cuts(image))]
        cuts[_CAPTIONS[file.name]] = named
    while len(left := sorted(name for name, files in cuts.items() if files)) >= 4:
        weights = np.array([len(cuts[name]) for name in left], np.float64)
        options = tuple(str(name) for name in rng.choice(left, 4, replace=False, p=weights / weights.sum()))
        for right, caption in enumerate(options):
            name, cut = cuts[caption].pop()
            cut.save(folder / "images" / name, quality=92)
            yield Question("details", str(rng.choice(ASKED["details"])), options, right, name)


def _photographs() -> list[Path]:
    files = []
    for package, below in (("skimage", "data"), ("sklearn", "datasets/images")):
        spec = find_spec(package)
        if spec is None or not spec.submodule_search_locations:
            raise SystemExit(f"{package} is not installed, and its photographs are needed")
        folder = Path(spec.submodule_search_locations[0]) / below
        files += [folder / name for name in _CAPTIONS if (folder / name).exists()]
    return files


def _cuts(image: Image.Image) -> Iterator[Image.Image]:
    """Yield disjoint squares of a photograph with something in each, around its middle; at most nine."""
    across, down = min(3, image.width // TILE_PX), min(3, image.height // TILE_PX)
    left, top = (image.width - across * TILE_PX) // 2, (image.height - down * TILE_PX) // 2
    for row in range(down):
        for column in range(across):
            x, y = left + column * TILE_PX, top + row * TILE_PX
            cut = image.crop((x, y, x + TILE_PX, y + TILE_PX))
            if np.asarray(cut.convert("L")).std() >= _DULL:
                yield cut


def _scenes(folder: Path, rng: np.random.Generator, count: int, seed: int) -> Iterator[Question]:
    """Yield questions about rendered rooms, a third of them yes/no questions."""
    rendered_scenes.SIZE_WH = SCENE_WH
    made = dict.fromkeys(("things", "leftmost", "relations"), 0)
    number = 0
    while sum(made.values()) < count:
        task = min(made, key=made.__getitem__)
        own = np.random.default_rng([seed, 2, number])
        number += 1
        if task == "relations":
            scene = rendered_scenes.three_things(own)
            asked = _relation(scene.truths, rng, is_yes=made[task] % 2 == 0)
        else:
            scene = rendered_scenes.full_room(own)
            boxes = next(truth for truth in scene.truths if truth["kind"] == "boxes")
            asked = _thing(boxes, rng) if task == "things" else _leftmost(boxes, rng)
        if asked is None:
            continue
        name = f"scene-{number}.jpg"
        Image.fromarray(scene.pictures[0]).save(folder / "images" / name, quality=92)
        made[task] += 1
        yield Question(task, *asked, name)


Asked = tuple[str, tuple[str, ...], int]


def _thing(boxes: dict[str, Any], rng: np.random.Generator) -> Asked | None:
    shown = {box["label"] for box in boxes["boxes"]}
    labels = [f"{color} {shape}" for color in rendered_scenes.MATERIALS for shape in rendered_scenes.PLURALS]
    absent = sorted(set(labels) - shown - set(boxes["incomplete"]))
    if not shown or len(absent) < 3:
        return None
    options = (str(rng.choice(sorted(shown))), *map(str, rng.choice(absent, 3, replace=False)))
    return str(rng.choice(ASKED["things"])), options, 0


def _leftmost(boxes: dict[str, Any], rng: np.random.Generator) -> Asked | None:
    labels = [box["label"] for box in boxes["boxes"]]
    alone = [
        box for box in boxes["boxes"] if labels.count(box["label"]) == 1 and box["label"] not in boxes["incomplete"]
    ]
    if len(alone) < 4:
        return None
    chosen = sorted((alone[k] for k in rng.permutation(len(alone))[:4].tolist()), key=lambda box: float(box["box"][0]))
    if chosen[1]["box"][0] - chosen[0]["box"][0] < 0.03 * SCENE_WH[0]:
        return None
    return str(rng.choice(ASKED["leftmost"])), tuple(str(box["label"]) for box in chosen), 0


def _relation(truths: Sequence[dict[str, Any]], rng: np.random.Generator, *, is_yes: bool) -> Asked | None:
    fitting = [truth for truth in truths if truth["relation"] in ("left of", "right of") and truth["is_true"] == is_yes]
    if not fitting:
        return None
    claim = fitting[int(rng.integers(len(fitting)))]
    first, second = (part.split()[-1].rstrip(".") for part in claim["claim"].split(f" is {claim['relation']} "))
    side = f"to the {claim['relation'].split()[0]}"
    question = str(rng.choice(ASKED["relations"])).format(first=first, second=second, side=side)
    return question, ("Yes", "No"), int(not is_yes)
