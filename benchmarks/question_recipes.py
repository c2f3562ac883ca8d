"""The cues in the questions that `mm-sap` and `ii-bench` make, compared with a planted cue.

    python benchmarks/question_recipes.py --folder DIR [--records 1600] [--seeds 201]

makes a thousand or more items for each recipe: for MM-SAP, its three sets, by templates, from annotations whose answers
are as unevenly distributed as real ones; for II-Bench, the questions that simulated annotators write. Pictures are
small and unrelated to the questions, so only options, words and letters can reveal anything. The recipes'
`answer_balance` balances the letters. The items pass through the shortcut battery, without the refusal choice, which
its words give away: of BasicVisQA and KnowVisQA four options remain, of BeyondVisQA no right one, so only its letters
are counted. They pass once more after planting a cue: the right option the longest, or a word that only right options
have. Prints a JSON document per set: the number of items, the share of right and of declining options under each
letter, the solvers farthest from chance, and those that carry.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pyarrow as pa
from made_items import MadeItems
from shortcut_free_tasks import measured
from step_context import StepContext
from truth_runs import TruthRun

from benchwright.annotation.campaigns.describe.step import implication_in
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.description import DESCRIPTION_FORM
from benchwright.annotation.simulated.writers import SimulatedDescribers
from benchwright.annotation.store.database.records import Annotation
from benchwright.canonical import canonical_json
from benchwright.construction.ground_truth.truths import LabelledBox, LabelledBoxes, NamedEntity, VisualQuestion
from benchwright.construction.self_awareness.basic_vis_qa import BasicVisQa
from benchwright.construction.self_awareness.beyond_vis_qa import BeyondVisQa
from benchwright.construction.self_awareness.know_vis_qa import KnowVisQa
from benchwright.construction.tasks.image_implication import ImageImplication
from benchwright.filters.items.answer_balance import AnswerBalance, with_options_swapped
from benchwright.records import Item, right_key
from benchwright.seeds import generator_for
from benchwright.steps import GatherContext, GatherStep

SIDES = (48, 32)
ANSWERS = {
    "What color is the {}?": ("white", "red", "blue", "black", "green", "brown", "yellow", "grey", "pink", "purple"),
    "What shape is the {}?": ("round", "square", "oval", "triangular", "hexagonal", "flat", "curved", "long"),
    "What room is the {} in?": ("kitchen", "bathroom", "bedroom", "living room", "office", "garage", "hall", "attic"),
    "What is the man beside the {} doing?": ("standing", "eating", "skiing", "surfing", "riding", "reading"),
    "What does the {} say?": ("stop", "exit", "open", "sale", "taxi", "police", "hotel", "coca cola", "bank"),
    "What is the man beside the {} holding?": ("phone", "racket", "bat", "umbrella", "laptop", "knife", "kite", "cup"),
    "Where is the {}?": ("on the table", "on the wall", "under the bed", "near the window", "behind the door"),
    "How many people are near the {}?": ("1", "2", "3", "4", "5", "6", "7", "8"),
}  # fmt: skip
"""Questions with their answers, common ones first."""
THINGS = (
    "sign", "bus", "train", "bench", "boat", "clock", "lamp", "kite", "cup", "bowl", "chair", "car", "dog", "bird",
    "truck", "sheep", "cake", "vase", "door", "tower",
)  # fmt: skip
DOMAINS = ("animals_and_plants", "brands_and_products", "art", "landmarks", "food", "organizations")
_SYLLABLES = ("ka", "lo", "mi", "ren", "tas", "vo", "dul", "pe", "shi", "gor", "na", "bel")


def main() -> None:
    """Make the items and measure them."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", type=Path, required=True, help="folder to work in, emptied first")
    parser.add_argument("--records", type=int, default=1600)
    parser.add_argument("--seeds", type=int, nargs="*", default=[201])
    options = parser.parse_args()
    for seed in options.seeds:
        for name, maker in MAKERS.items():
            shutil.rmtree(options.folder, ignore_errors=True)
            options.folder.mkdir(parents=True)
            made = maker(options.folder, seed, options.records)
            balanced = with_balanced_letters(made.items, seed)
            of_set: dict[str, Any] = {"set": name, "seed": seed, "made": len(made.items), **letters(balanced)}
            items = [item for item in balanced if item.answer is not None]
            if items:
                of_set |= figures(items, made)
                for cue, plant in CUES.items():
                    of_set[cue] = figures([plant(item) for item in items], made)
            print(json.dumps(of_set), flush=True)


def with_balanced_letters(items: Sequence[Item], seed: int) -> list[Item]:
    """Return the items as the recipes' step `answer_balance` leaves them."""
    letters_step = AnswerBalance(reorders="always").parts()[0]
    assert isinstance(letters_step, GatherStep), "it compares all items"
    table = pa.table({"record": [canonical_json(item.model_dump(mode="json")) for item in items]})
    gathered = letters_step.gather(table, GatherContext(seed, letters_step.name))
    swaps = dict(zip(gathered.rows.tolist(), gathered.values["swap"], strict=True))
    return [
        with_options_swapped(item, *swap, evidence={}) if (swap := swaps.get(row)) else item
        for row, item in enumerate(items)
    ]


def letters(items: Sequence[Item]) -> dict[str, Any]:
    """Return the share of right and of declining options under each letter."""
    shares: dict[str, Any] = {}
    for name, keys in (
        ("right", [right_key(item.answer, item.refusal) for item in items]),
        ("answer", [item.answer for item in items if item.answer is not None and item.refusal is not None]),
        ("declining", [item.refusal for item in items if item.refusal is not None]),
    ):
        counts = Counter(key for key in keys if key)
        shares[name] = {key: round(counts[key] / counts.total(), 3) for key in sorted(counts)}
    return {"letters": shares}


def figures(items: Sequence[Item], made: MadeItems) -> dict[str, Any]:
    """Return the battery's results on items: the solvers that carry, and those farthest from chance."""
    found = measured([MadeItems(list(items), made.files)])
    return {"items": found["items"], "carried": found["carried"], "farthest": found["farthest"][:3]}


def basic(folder: Path, seed: int, records: int) -> MadeItems:
    """Make items of BasicVisQA from questions whose answers follow Zipf's law."""
    rng, run = np.random.default_rng(seed), TruthRun(folder, seed=seed)
    for number in range(records):
        ask, answers = list(ANSWERS.items())[number % len(ANSWERS)]
        weights = 1 / np.arange(1, len(answers) + 1)
        answer = answers[int(rng.choice(len(answers), p=weights / weights.sum()))]
        question = ask.format(f"{THINGS[int(rng.integers(len(THINGS)))]} {number}")
        truth = VisualQuestion(question=question, answer=answer, answers=(answer,) * 10)
        run.state(f"vqa:{number}", [run.picture(number, *SIDES)], truth)
    return MadeItems.of_run(run, run.run(BasicVisQa(min_side_px=16)))


def know(folder: Path, seed: int, records: int) -> MadeItems:
    """Make items of KnowVisQA from a table of entities: kinds of four to nine."""
    rng, run = np.random.default_rng(seed), TruthRun(folder, seed=seed)
    number = 0
    for kind in range(records):
        for _ in range(int(rng.integers(4, 10))):
            if number == records:
                return MadeItems.of_run(run, run.run(KnowVisQa(min_side_px=16)))
            words = rng.integers(2, 5, size=int(rng.integers(1, 4)))
            name = " ".join("".join(rng.choice(_SYLLABLES, size)).capitalize() for size in words) + f" {number}"
            truth = NamedEntity(entity=name, entity_kind=f"kind {kind}", domain=DOMAINS[kind % len(DOMAINS)])
            run.state(f"table:{number}", [run.picture(number, *SIDES)], truth)
            number += 1
    raise AssertionError("kinds have at least four entities")


def beyond(folder: Path, seed: int, records: int) -> MadeItems:
    """Make items of BeyondVisQA from boxes."""
    rng, run = np.random.default_rng(seed), TruthRun(folder, seed=seed)
    for number in range(records):
        names = rng.choice(THINGS, 3, replace=False).tolist()
        boxes = tuple(
            LabelledBox(label=str(name), box=(2.0 + 15 * place, 2.0, 12.0 + 15 * place, 20.0))
            for place, name in enumerate(names)
        )
        run.state(f"coco:{number}", [run.picture(number, *SIDES)], LabelledBoxes(boxes=boxes))
    return MadeItems.of_run(run, run.run(BeyondVisQa(min_side_px=16)))


def implications(folder: Path, seed: int, records: int) -> MadeItems:
    """Make items of II-Bench from texts of simulated annotators about pictures."""
    from dataset_fixtures.pictures import pixels

    group, form = SimulatedDescribers(annotators=4), CampaignForm(fields=DESCRIPTION_FORM.fields)
    step = ImageImplication(kinds=("image_implication",), stated_by="describe")
    records_of = StepContext(folder, seed=seed)
    pictures = [records_of.add(pixels(number, *SIDES), f"{number}.png") for number in range(records)]
    values = {
        (picture.image_id, "describe.implication"): written(group, form, picture.image_id, seed) for picture in pictures
    }
    context = StepContext(folder, seed=seed, values=values)
    for number in range(records):
        context.add_file(folder / f"{number}.png")
    items = [item for picture in pictures for item in context.run(step, picture).items]
    return MadeItems.of_context(context, items)


def written(group: SimulatedDescribers, form: CampaignForm, image_id: str, seed: int) -> str:
    """Return a simulated annotator's text about a picture, as `describe` states it."""
    submission = group.submission({"images": [{"image_id": image_id}]}, form, generator_for(seed, "describe", image_id))
    stands_for = SimpleNamespace(fields=submission.fields, annotator_kind="simulated", item_id=image_id, slot=1)
    implication = implication_in(cast("Annotation", stands_for), "describe")
    assert implication is not None, "nobody discards here"
    return canonical_json(implication.model_dump(mode="json"))


def longest(item: Item) -> Item:
    """Return an item whose right option is the longest."""
    return _reworded(item, lambda text, is_right: f"{text}, as anybody can see" if is_right else text)


def only_in_keys(item: Item) -> Item:
    """Return an item whose options each begin with a word of seven letters: one for right ones, eight for others."""

    def reworded(text: str, is_right: bool) -> str:
        word = "Evident" if is_right else _FILLERS[sum(map(ord, item.item_id + text)) % len(_FILLERS)]
        return f"{word} {text}"

    return _reworded(item, reworded)


_FILLERS = ("Certain", "Regular", "General", "Popular", "Typical", "Natural", "Neutral", "Sincere")


def _reworded(item: Item, change: Callable[[str, bool], str]) -> Item:
    right = right_key(item.answer, item.refusal)
    choices = tuple(
        choice.model_copy(update={"text": change(choice.text or "", choice.key == right)}) for choice in item.choices
    )
    return item.model_copy(update={"choices": choices})


MAKERS: dict[str, Callable[[Path, int, int], MadeItems]] = {
    "basic_vis_qa": basic,
    "know_vis_qa": know,
    "beyond_vis_qa": beyond,
    "image_implication": implications,
}
CUES: dict[str, Callable[[Item], Item]] = {"longest": longest, "only in keys": only_in_keys}

if __name__ == "__main__":
    main()
