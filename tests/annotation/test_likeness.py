"""Items that are alike: by vectors of real, tiny models where they were made, by hashes and shared words where not."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image
from tiny_dinov2 import make_dinov2
from tiny_sentences import tiny_sentences

from benchwright.annotation.campaigns.running.open_campaign import work_of
from benchwright.annotation.cli.likeness import likeness
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.items.item_index import ItemIndex
from benchwright.annotation.items.item_search import Hits, ItemQuery, search
from benchwright.annotation.items.likeness import comparable
from benchwright.annotation.items.vector_file import FILE_NAME
from benchwright.annotation.items.vector_making import make_vectors
from benchwright.annotation.store.review_store import open_store
from benchwright.annotation.workflow.image_files import brought_pictures
from benchwright.canonical import digest
from benchwright.errors import PrerequisiteError
from benchwright.records import Choice, Item, ItemImage
from benchwright.workspace.workspace import Workspace

QUESTIONS = {
    "dogs": "How many dogs", "hunde": "Wie viele Hunde", "umbrella": "What holding umbrella", "house": "Where red house",
}  # fmt: skip
SHADES = {"dogs": (250, 40, 40), "hunde": (20, 60, 250), "umbrella": (245, 50, 45), "house": (30, 250, 30)}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace with four items in a campaign, each with a picture of one color."""
    Workspace.create(tmp_path).save_settings({"stages": []})
    pictures = brought_pictures(tmp_path)
    items = []
    for number, (name, question) in enumerate(QUESTIONS.items()):
        shade = np.full((40, 60, 3), SHADES[name], np.uint8)
        shade[:20, : 10 + number] += 1
        kept = io.BytesIO()
        Image.fromarray(shade).save(kept, "png")
        image_id = pictures.put(kept.getvalue())
        choices = (Choice(key="A", text="one"), Choice(key="B", text="two"))
        items.append(
            Item(
                item_id=digest(name)[:32],
                task="counting",
                kind="multiple_choice",
                question=question,
                choices=choices,
                images=(ItemImage(image_id=image_id, role="reference"),),
                answer="A",
                root_image_id=image_id,
                operation_id="0" * 32,
                made_from=image_id,
            )
        )
    with open_store(Workspace(tmp_path).store_url) as store:
        form = CampaignForm(decisions=("accept", "reject"))
        store.upsert_campaign(
            "verify", kind="verify", rule="unanimous(2)", slots_per_task=2, form=form, settings={}, seed=1
        )
        store.upsert_tasks("verify", map(work_of, items))
    return tmp_path


def found(place: Path, **query: str) -> tuple[Hits, list[str]]:
    """Return the results of a query, and the names of the items in its order."""
    names = {digest(name)[:32]: name for name in QUESTIONS}
    with open_store(Workspace(place).store_url) as store:
        index = ItemIndex(place, store)
        index.refresh()
        hits = index.reading(lambda connection: search(connection, ItemQuery.from_params(query)))
    return hits, [names[record.record_id] for record in hits.records]


def embed(place: Path, **models: Any) -> list[tuple[str, int, int]]:
    with open_store(Workspace(place).store_url) as store:
        return [(made.kind, made.made, made.kept) for made in make_vectors(place, ItemIndex(place, store), **models)]


def test_without_vectors_questions_are_compared_by_the_words_that_they_share(place: Path) -> None:
    hits, names = found(place, like=digest("dogs")[:32], alike="question")
    assert hits.by == "words"
    assert names[0] == "dogs"
    assert hits.records[0].value == 1
    assert found(place, meaning="the dog")[1] == ["dogs"]  # stems: nothing else names one
    assert found(place, meaning="'quoted\" OR NEAR(")[0].total == 0


def test_a_sentence_model_finds_what_means_the_same_in_another_language(place: Path, tmp_path: Path) -> None:
    assert embed(place, sentences=tiny_sentences(tmp_path / "sentences")) == [("words", 4, 0), ("pictures", 0, 0)]
    hits, names = found(place, like=digest("dogs")[:32], alike="question")
    assert hits.by == "sentence_vectors"
    assert set(names[:2]) == {"dogs", "hunde"}
    assert hits.records[1].value == pytest.approx(1, abs=2e-3)
    hits, names = found(place, meaning="rot Haus")
    assert (hits.by, names[0]) == ("sentence_vectors", "house")


def test_a_vision_model_finds_pictures_that_look_alike_and_an_uploaded_one_is_compared_by_hash(
    place: Path, tmp_path: Path
) -> None:
    assert found(place, like=digest("dogs")[:32])[0].by == "picture_hashes"
    assert embed(place, pictures=make_dinov2(tmp_path / "vision"))[1] == ("pictures", 4, 0)
    hits, names = found(place, like=digest("dogs")[:32])
    assert hits.by == "picture_vectors"
    assert names[:2] == ["dogs", "umbrella"]  # both nearly the same red
    assert found(place, like="hash-0123456789abcdef")[0].by == "picture_hashes"


def test_what_has_a_vector_is_not_embedded_again_and_another_model_begins_anew(place: Path, tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "sentences")
    embed(place, sentences=folder)
    with open_store(Workspace(place).store_url) as store:
        [task, *_] = store.tasks("verify")
        item = Item.model_validate(task.payload)
        changed = item.model_copy(update={"question": "What color hat", "item_id": digest("hat")[:32]})
        others = [Item.model_validate(task.payload) for task in store.tasks("verify")]
        store.upsert_tasks("verify", map(work_of, [*others, changed]))
    assert embed(place)[0] == ("words", 1, 4)  # the model taken before
    (folder / "more.txt").write_text("another model by its digest")
    assert embed(place, sentences=folder)[0] == ("words", 5, 0)


def test_words_are_compared_where_the_model_is_gone_or_another_and_its_vectors_still_serve(
    place: Path, tmp_path: Path
) -> None:
    folder = tiny_sentences(tmp_path / "sentences")
    embed(place, sentences=folder)
    (folder / "more.txt").write_text("another model by its digest")
    assert found(place, meaning="dogs")[0].by == "words"
    assert found(place, like=digest("dogs")[:32], alike="question")[0].by == "sentence_vectors"


def test_a_damaged_file_of_vectors_is_left_out_and_made_again(place: Path, tmp_path: Path) -> None:
    folder = tiny_sentences(tmp_path / "sentences")
    embed(place, sentences=folder)
    file = Workspace(place).cache / FILE_NAME
    file.write_bytes(b"no database at all" * 100)
    assert found(place, like=digest("dogs")[:32], alike="question")[0].by == "words"
    assert embed(place, sentences=folder)[0] == ("words", 4, 0)


def test_without_a_model_the_command_says_what_to_name_and_with_one_what_it_made(
    place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path / "none"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "none"))
    with pytest.raises(PrerequisiteError, match="--sentences or --pictures"):
        embed(place)
    folder = tiny_sentences(tmp_path / "models" / "all-MiniLM-L6-v2")
    monkeypatch.setenv("BENCHWRIGHT_MODELS", str(tmp_path / "models"))
    result = CliRunner().invoke(likeness, ["--workspace", str(place)])
    assert result.stdout.splitlines() == [
        f"4 questions embedded by {folder}, 0 there already",
        "no model for pictures; they are compared without vectors",
    ]
    with open_store(Workspace(place).store_url) as store:
        assert ItemIndex(place, store).reading(comparable) == (0, 4, 4, 4)
