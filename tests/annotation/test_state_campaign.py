"""The campaign `state`: annotators' statements about images in words, in the terms of facts files.

- Every statement of a facts file except marks can be entered, and returns unchanged.
- Mistakes that facts files do not allow are refused on submission, all at once.
- Several annotators' statements are combined as the settings say.
- Other pictures are named by their image, and only those of the campaign.
"""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError
from stated_facts import fields_of
from typed_answers import say
from walks import make_photographs

from benchwright.annotation.campaigns.state.step import State
from benchwright.annotation.forms.campaign_form import CampaignForm
from benchwright.annotation.forms.kind_forms.statements import SECTIONS, state_form, statements_document
from benchwright.annotation.simulated.annotators import simulated_decisions
from benchwright.annotation.simulated.writers import SimulatedStaters
from benchwright.annotation.store.campaigns.other_pictures import find_pictures
from benchwright.annotation.store.database.records import RefusedError
from benchwright.annotation.store.review_store import open_store
from benchwright.canonical import digest
from benchwright.facts import StatementsOnPicture, read_facts
from benchwright.pipeline import run_recipe
from benchwright.recipe import parse_recipe
from benchwright.records import ImageRecord, Source
from benchwright.steps import CampaignContext

A, B, C = "a" * 64, "b" * 64, "c" * 64
TASTE = {"name": "taste", "why": "other_modality", "ask": "How does it taste?", "wrong": ["Bitter", "Sour"]}
TABLE = {"name": "table", "ask": "What does it stand on?", "right": "A table", "wrong": ["A chair"]}
STATED: dict[str, Any] = {
    "statement": "stated", "caption": "A cup on a table.", "background": "a table",
    "subjects": [{"name": "cup", "phrase": "the cup"}], "answerable": [TABLE], "unanswerable": [TASTE],
}  # fmt: skip
NOTHING = {"statement": "nothing"}
FULL = State(sections=SECTIONS, optional=SECTIONS)


@pytest.fixture
def store_url(url: str, tmp_path: Path, empty_store: bytes) -> str:
    """A store in a file: the statements that a decision takes are tested on a server too."""
    (tmp_path / "review.sqlite").write_bytes(empty_store)
    return url


@pytest.fixture
def ctx(context: CampaignContext) -> CampaignContext:
    return context._replace(stage="state")


def picture(image_id: str, name: str | None = None) -> ImageRecord:
    source = None if name is None else Source(uri=name)
    return ImageRecord(
        image_id=image_id, width=40, height=30, media_type="image/png", size_bytes=9, root_image_id=image_id,
        source=source,
    )  # fmt: skip


def stated(step: State, ctx: CampaignContext, said: dict[str, dict[str, Any]], now: datetime) -> Any:
    """Return the verdicts of a campaign with these statements, by image and annotator."""
    images = [picture(image_id) for image_id in said]
    assert "state" in (step.advance(images, ctx).waiting or "")
    with open_store(ctx.store_url) as store:
        say(store, "state", said, now)
    return step.advance(images, ctx)


def statements(verdicts: Any, image_id: str = A) -> StatementsOnPicture:
    return StatementsOnPicture.model_validate_json(str(verdicts.outcomes[image_id].values["statements"]))


def test_what_was_stated_is_a_value_of_the_image_with_who_wrote_each_statement(
    ctx: CampaignContext, now: datetime
) -> None:
    verdicts = stated(State(), ctx, {A: {"ann": STATED}, B: {"ben": NOTHING}}, now)
    found = statements(verdicts)
    assert (found.caption, found.background, found.subjects[0].phrase) == (
        "A cup on a table.",
        "a table",
        "the cup",
    )
    assert (found.answerable[0].right, found.unanswerable[0].why) == ("A table", "other_modality")
    assert {place: author.by for place, author in found.authors.items()} == dict.fromkeys(
        ["caption", "background", "subjects/cup", "answerable/table", "unanswerable/taste"], "person"
    )
    written_in = found.authors["caption"].written_in
    assert (written_in.campaign, written_in.record_id, written_in.slot) == ("state", A, 1)
    assert dict(verdicts.outcomes[B].values) == {}
    assert verdicts.outcomes[B].verdict == "keep"
    summary = dict(verdicts.summary)
    assert (summary["total"], summary["stated"], summary["questions"]) == (2, 1, 2)
    assert "ann" not in json.dumps(summary).replace("annotator", "")


RECIPES = Path(__file__).parents[2] / "benchwright" / "recipes"


@pytest.mark.parametrize("name", ["demo", "mm-sap", "mvp-bench"])
def test_the_words_of_every_facts_file_can_be_entered_and_come_back_the_same(
    ctx: CampaignContext, now: datetime, name: str
) -> None:
    facts = read_facts(RECIPES / f"{name}.facts.yaml")
    image_of = {key: digest([key]) for key in facts.images}
    said = {image_of[key]: {"ann": fields_of(picture, image_of)} for key, picture in facts.images.items()}
    verdicts = stated(FULL, ctx, said, now)
    for key, expected in facts.images.items():
        found = statements(verdicts, image_of[key])
        assert found.background == expected.background
        assert found.unanswerable == expected.unanswerable
        assert found.answerable == expected.answerable
        assert found.implication == expected.implication
        assert found.also == expected.also
        assert [(subject.name, subject.phrase) for subject in found.subjects] == [
            (subject.name, subject.phrase) for subject in expected.subjects
        ]
        if expected.pairs is None:
            assert found.pairs is None
            continue
        named = json.dumps(expected.pairs.model_dump(mode="json"))
        for other, image_id in image_of.items():
            named = named.replace(json.dumps(other), json.dumps(image_id))
        assert found.pairs is not None
        assert found.pairs.model_dump(mode="json") == json.loads(named)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        pytest.param({"main_subject": "spoon", "people": "0"}, r"subject: 'spoon': not a subject of this picture .cup.", id="subject"),
        pytest.param({"answerable": [TABLE | {"name": "taste"}]}, "'taste': it stands twice", id="name taken"),
        pytest.param({"unanswerable": [TASTE | {"wrong": ["Sour", "sour "]}]}, "'sour' appears twice", id="option"),
        pytest.param({"seen": [{"of": "role", "value": "a cup"}]}, "state both", id="no main subject"),
        pytest.param({"people": "many"}, "'many' is not a whole number", id="people"),
        pytest.param(
            {"main_subject": "cup", "people": "0", "looks": [{"effect": "sepia", "value": "old times"}]},
            "state the scenario of the natural picture", id="look without scenario",
        ),
        pytest.param(
            {"subjects": [{"name": "cup", "phrase": "the cup", "onto": [C]}]},
            "subject 1: field 'onto' .*: cccccccccccc: no other picture of this campaign", id="unknown picture",
        ),
        pytest.param(
            {"subjects": [{"name": "cup", "phrase": "the cup", "onto": [A]}]}, "no other picture", id="itself"
        ),
        pytest.param(
            {"subjects": [{"name": "cup", "phrase": "the cup", "onto": ["lake.jpg"]}]},
            "'lake.jpg' is not a picture of the campaign", id="a name for a picture",
        ),
        pytest.param({"drafts": {"caption": "caption"}}, "the form has no field 'drafts'", id="drafts of nobody"),
        pytest.param({"caption": "two\nlines"}, "one line; it has 2", id="two lines"),
    ],
)  # fmt: skip
def test_what_facts_files_do_not_allow_is_refused_in_words(
    ctx: CampaignContext, now: datetime, change: dict[str, Any], words: str
) -> None:
    FULL.advance([picture(A), picture(B)], ctx)
    with open_store(ctx.store_url) as store, pytest.raises(RefusedError, match=words):
        say(store, "state", {A: {"ann": STATED | change}}, now)


def test_mistakes_across_sections_are_named_all_at_once(ctx: CampaignContext, now: datetime) -> None:
    FULL.advance([picture(A)], ctx)
    wrong = {"main_subject": "spoon", "people": "0", "answerable": [TABLE | {"name": "taste"}]}
    with open_store(ctx.store_url) as store, pytest.raises(RefusedError) as error:
        say(store, "state", {A: {"ann": STATED | wrong}}, now)
    assert "answerable 1 name: 'taste': it stands twice" in str(error.value)
    assert "pairs subject: 'spoon'" in str(error.value)


BEN = STATED | {
    "caption": "A full cup.", "answerable": [TABLE | {"name": "taste"}, TABLE | {"name": "colour"}],
    "unanswerable": [TASTE | {"name": "table"}], "image_type": "painting", "domain": "art", "emotion": "neutral",
}  # fmt: skip
LABELS = {"image_type": "photograph", "domain": "life", "emotion": "neutral"}


def test_statements_of_several_annotators_are_taken_together_the_first_ones_before_others(
    ctx: CampaignContext, now: datetime
) -> None:
    step = State(sections=SECTIONS, optional=SECTIONS, annotators=3)
    said = {
        A: {
            "ann": STATED | LABELS,
            "ben": BEN,
            "cas": STATED | {"image_type": "painting", **LABELS | {"domain": "art"}},
        }
    }
    found = statements(stated(step, ctx, said, now))
    assert found.caption == "A cup on a table."
    assert [(question.name, question.ask) for question in found.answerable] == [
        ("table", "What does it stand on?"), ("colour", "What does it stand on?"),
    ]  # fmt: skip
    assert [question.name for question in found.unanswerable] == ["taste"]  # `table` was taken by then
    assert found.implication is not None
    assert (found.implication.image_type, found.implication.domain) == ("photograph", "art")
    assert found.authors["answerable/colour"].written_in.slot == 2
    assert found.authors["implication/domain"].written_in.slot == 2


def test_only_the_first_who_stated_anything_counts_where_a_recipe_says_so(ctx: CampaignContext, now: datetime) -> None:
    step = State(sections=SECTIONS, optional=SECTIONS, annotators=3, combine="first")
    found = statements(stated(step, ctx, {A: {"ann": NOTHING, "ben": BEN, "cas": STATED}}, now))
    assert (found.caption, [question.name for question in found.answerable]) == ("A full cup.", ["taste", "colour"])
    assert {author.written_in.slot for author in found.authors.values()} == {2}


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        pytest.param({"sections": ["pairs", "caption"]}, "'pairs' depends on 'attributes'", id="pairs alone"),
        pytest.param({"sections": ["caption", "caption"]}, "appears twice", id="repeated"),
        pytest.param(
            {"sections": ["caption"], "optional": ["source"]}, "'source' is listed as optional", id="optional"
        ),
        pytest.param({"sections": []}, "at least 1", id="none"),
        pytest.param({"annotators": 3, "simulate": {"annotators": 2}}, "2 annotators cannot fill 3 slots", id="few"),
    ],
)
def test_settings_that_do_not_hang_together_are_refused(settings: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        State.model_validate(settings)


def test_a_section_that_is_not_asked_has_no_fields_and_an_optional_one_may_be_empty() -> None:
    form = state_form(("caption", "unanswerable"), optional=("unanswerable",))
    assert [field.name for field in form.fields] == ["statement", "caption", "unanswerable"]
    fields = {"statement": "stated", "caption": "A cup."}
    assert form.checked(fields, letters=(), key=None) == fields
    assert statements_document(fields) == {"caption": "A cup."}


def test_other_pictures_of_the_campaign_are_found_by_part_of_their_name(ctx: CampaignContext, now: datetime) -> None:
    State().advance([picture(A, "in/Coffee.png"), picture(B, "in/50%25.jpg"), picture(C, "q%22uote.png")], ctx)
    with open_store(ctx.store_url) as store, store.reading() as connection:
        own = next(task.id for task in store.tasks("state") if task.item_id == A)

        def names(**asked: Any) -> list[str]:
            return [one.name for one in find_pictures(connection, own, most=9, **asked)]

        assert names() == ["in/50%.jpg", 'q"uote.png']
        assert names(words="IN/5") == ["in/50%.jpg"]
        assert names(words="%") == ["in/50%.jpg"]
        assert names(words='"') == ['q"uote.png']
        assert names(words="coffee") == []  # the task's own picture
        assert names(ids=[B, A, "nonsense"]) == ["in/50%.jpg"]


def test_simulated_annotators_fill_in_all_that_must_be_and_say_that_nobody_wrote_it() -> None:
    form = CampaignForm(fields=state_form(SECTIONS).fields, states_facts=True)
    payload = {"item": {"images": [{"image_id": A}], "choices": []}}
    [said] = simulated_decisions(SimulatedStaters(annotators=1), A, payload, slots=1, seed=1, stage="state", form=form)
    assert said.annotator == "simulated-stater-1"
    fields = said.submission.fields or {}
    assert state_form(SECTIONS).checked(fields, letters=(), key=None) == fields
    assert "Simulated" in fields["caption"]


RECIPE = """
name: stated
seed: 3
shards: 2
steps:
  - step: state
    sections: [caption, subjects, background, answerable, unanswerable, implication, attributes, pairs]
    annotators: 2
    simulate: {annotators: 3, nothing_rate: 0.2}
"""


def test_a_recipe_runs_headless_and_its_statements_are_marked_as_simulated(tmp_path: Path) -> None:
    make_photographs(tmp_path / "photographs", count=5)
    recipe = parse_recipe(RECIPE, "recipe.yaml", folder=tmp_path)
    done = run_recipe(recipe, workspace=tmp_path / "w", images=tmp_path / "photographs", workers=1)
    assert done.state == "done"
    with open_store(f"sqlite:///{tmp_path / 'w' / 'review.sqlite'}") as store:
        assert {decision.annotator_kind for decision in store.decisions("state")} == {"simulated"}
    again = run_recipe(recipe, workspace=tmp_path / "again", images=tmp_path / "photographs", workers=1)
    assert [path.name for path in sorted((tmp_path / "w" / "tables" / "state").glob("*.parquet"))] == [
        path.name for path in sorted((tmp_path / "again" / "tables" / "state").glob("*.parquet"))
    ]
    assert again.state == "done"
