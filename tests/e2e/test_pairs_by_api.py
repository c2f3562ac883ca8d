"""The recipe of pairs by APIs, from a photograph to whole pairs, with servers that answer and edit as documented.

- All thirteen categories pass with ideas attacked, edits by the API and questions by a model.
- Pixels outside an edit are the photograph's; a second run sends no request.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import pytest
import yaml
from chat_server import ChatServer, without_keys_and_proxies
from conftest import ROOT
from edit_server import EditServer
from PIL import Image
from sane_answerer import SaneAnswerer
from sane_model import SUBJECT_BOX

from benchwright.facts import CATEGORIES, CODES
from benchwright.pipeline import open_view, run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import Item
from benchwright.workspace.run_results import FinishedRun

pytestmark = pytest.mark.slow

SIZES = ["256x256", "384x256", "256x384"]


class Made(NamedTuple):
    """A run by APIs, and its servers."""

    run: Any
    done: FinishedRun
    chat: ChatServer
    edits: EditServer
    photo: np.ndarray

    @property
    def items(self) -> list[Item]:
        return [item for item, _ in open_view(self.done.workspace).items()]


def photograph() -> np.ndarray:
    """A figure on a lawn, where the scripted model says that the woman is; (192, 256, 3)."""
    rng = np.random.default_rng(5)
    lawn = rng.normal((60, 150, 70), 5, (192, 256, 3))
    x0, y0, x1, y1 = (round(share * side) for share, side in zip(SUBJECT_BOX, (256, 192, 256, 192), strict=True))
    rows, columns = np.mgrid[:192, :256]
    across, down = (2 * columns - x0 - x1) / (x1 - x0), (2 * rows - y0 - y1) / (y1 - y0)
    figure = (across**2 + down**2 < 0.95)[..., None]
    return np.clip(np.where(figure, rng.normal((200, 60, 60), 5, lawn.shape), lawn), 0, 255).astype(np.uint8)


def recipe_text(chat_url: str, edit_url: str) -> str:
    """Return the recipe up to people, with the models at these addresses."""
    document = yaml.safe_load((ROOT / "examples" / "mvp-bench-with-api.yaml").read_text(encoding="utf-8"))
    names = [entry if isinstance(entry, str) else entry["step"] for entry in document["steps"]]
    document["steps"] = document["steps"][: names.index("shortcuts")]
    del document["optional"]

    def placed(value: Any) -> Any:
        if isinstance(value, list):
            return [placed(each) for each in value]
        if not isinstance(value, dict):
            return value
        more: dict[str, Any] = {}
        if "model" in value:
            more = {"base_url": edit_url, "sizes": SIZES} if "quality" in value else {"base_url": chat_url}
        # The scripted chat server says nothing of tokens, so no money can be counted there.
        kept = {name: placed(each) for name, each in value.items() if name != "budget" or "quality" in value}
        return kept | more

    return yaml.safe_dump(placed(document) | {"shards": 1})


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    folder = tmp_path_factory.mktemp("api")
    (folder / "photographs").mkdir()
    photo = photograph()
    Image.fromarray(photo).save(folder / "photographs" / "woman.png")
    chat, edits, model = ChatServer(), EditServer(), SaneAnswerer()
    chat.behave = lambda words, attempt, handler: model.look(handler.body)

    def run() -> FinishedRun:
        recipe = parse_recipe(recipe_text(chat.url, edits.url), "api.yaml", folder)
        return run_recipe(recipe, images=folder / "photographs", workspace=folder / "w", workers=1)

    with pytest.MonkeyPatch.context() as patched:
        without_keys_and_proxies(patched)
        yield Made(run, run(), chat, edits, photo)
    chat.close()
    edits.close()


def test_all_categories_come_through_with_an_edit_by_the_api_and_questions_by_a_model(made: Made) -> None:
    assert made.done.state == "done"
    categories: dict[str, list[Item]] = defaultdict(list)
    for item in made.items:
        categories[str(item.category)].append(item)
    [manipulated] = made.done.outcomes("manipulate")
    assert set(categories) == set(CODES), manipulated["evidence"]
    ways = {CATEGORIES[code].way for code in categories}  # type: ignore[index]
    assert ways == {"partial", "background", "direct"}
    for items in categories.values():
        assert {item.evidence["editor"] for item in items} == {"endpoint"}
        assert {item.task for item in items} == {"pair_yes_no", "pair_single_image", "pair_cross_image"}
        assert {item.written_by["question"] for item in items if item.task == "pair_yes_no"} == {"model:gpt-4.1-mini"}


def test_each_idea_was_attacked_and_edited_once(made: Made) -> None:
    [row] = made.done.outcomes("ideas")
    plans = row["evidence"]["categories"]
    attacked = [
        code for code, plan in plans.items() if {each["result"] for each in plan.get("attacks", ())} == {"held"}
    ]
    assert len(attacked) == 13
    assert sum("Try to refute the" in str(body) for body in made.chat.bodies) == 13
    assert len(made.edits.asked) == 13


def test_a_run_again_asks_nobody(made: Made) -> None:
    asked = len(made.chat.bodies), len(made.edits.asked)
    assert made.run().state == "done"
    assert (len(made.chat.bodies), len(made.edits.asked)) == asked
