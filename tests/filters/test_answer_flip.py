"""The gate `answer_flip`: a model must answer as the keys say on both pictures, and a control question alike."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import Any

import pytest
from chat_server import ChatServer
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image
from pydantic import ValidationError
from rival_items import Rivalry, rivalry

from benchwright.diagnostics.models.model_questions import read_yes_no
from benchwright.errors import PrerequisiteError
from benchwright.filters.pairs.answer_flip import AnswerFlip
from benchwright.steps import Outcome


def step(server: ChatServer, **settings: Any) -> AnswerFlip:
    chat = {"model": "eye", "base_url": server.url, "retries": 0, "timeout_s": 20, **settings.pop("chat", {})}
    return AnswerFlip.model_validate({"chat": chat, **settings})


def sees(server: ChatServer) -> bool:
    """Whether the picture that was just sent is bluish."""
    [url] = [
        part["image_url"]["url"] for part in server.bodies[-1]["messages"][0]["content"] if part["type"] == "image_url"
    ]
    red, _, blue = (
        Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB").resize((1, 1)).getpixel((0, 0))
    )
    return bool(blue > red + 20)


def answering(server: ChatServer, *, control: str = "Yes.") -> None:
    def look(words: str, attempt: int, handler: Any) -> str:
        return control if "a picture?" in words else "Yes, it is." if sees(server) else "No."

    server.behave = look


def by_candidate(rivals: Rivalry, said: list[Outcome], kind: str = "yes_no") -> dict[int, set[tuple[str, str | None]]]:
    found: dict[int, set[tuple[str, str | None]]] = {}
    for item, one in zip(rivals.items, said, strict=True):
        if item.kind == kind:
            found.setdefault(item.evidence["candidate"], set()).add((one.verdict, one.reason))
    return found


@pytest.fixture
def rivals(tmp_path: Path) -> Rivalry:
    return rivalry(tmp_path / "rivals")


@pytest.mark.slow
def test_a_question_that_flips_stays_and_one_that_does_not_goes_with_both_its_halves(
    rivals: Rivalry, chat_server: ChatServer
) -> None:
    answering(chat_server)
    said = rivals.judged(step(chat_server, concurrency=1))
    assert by_candidate(rivals, said) == {0: {("keep", None)}, 1: {("drop", "answer_not_flipped")}}
    assert by_candidate(rivals, said, "multiple_choice") == {0: {("keep", None)}, 1: {("keep", None)}}
    first = said[0]
    assert dict(first.values) == {
        "yes_on": "manipulated", "natural": "no", "manipulated": "yes", "control_natural": "yes",
        "control_manipulated": "yes",
    }  # fmt: skip
    assert first.evidence["replies"]["manipulated"] == "Yes, it is."


def test_both_halves_of_a_question_cost_one_look_at_each_picture(rivals: Rivalry, chat_server: ChatServer) -> None:
    answering(chat_server)
    rivals.judged(step(chat_server, concurrency=1))
    # Two photographs; each has a bluish candidate, and all share one red one: five pictures, two questions.
    assert len(chat_server.bodies) == 10


def test_a_control_that_changes_goes_as_well(rivals: Rivalry, chat_server: ChatServer) -> None:
    chat_server.behave = lambda words, attempt, handler: "yes" if sees(chat_server) else "no"
    said = rivals.judged(step(chat_server, concurrency=1, verdict="ask"))
    assert by_candidate(rivals, said)[0] == {("ask", "control_flipped")}


def test_what_answers_nothing_is_asked_about_and_the_replies_are_kept(rivals: Rivalry, chat_server: ChatServer) -> None:
    answering(chat_server, control="I would rather not say.")
    said = rivals.judged(step(chat_server, concurrency=1))
    assert by_candidate(rivals, said) == {0: {("ask", "no_answer")}, 1: {("ask", "no_answer")}}
    assert said[0].values["control_natural"] == "unclear"
    assert said[0].evidence["replies"]["control_natural"] == "I would rather not say."


def test_an_endpoint_that_breaks_down_is_recorded_and_ends_nothing(rivals: Rivalry, chat_server: ChatServer) -> None:
    def fail(words: str, attempt: int, handler: Any) -> None:
        chat_server.say(handler, 500, {"error": {"message": "out of order"}})

    chat_server.behave = fail
    said = rivals.judged(step(chat_server))
    assert by_candidate(rivals, said) == {0: {("ask", "no_answer")}, 1: {("ask", "no_answer")}}
    assert said[0].values["natural"] == "failed"
    assert said[0].evidence["replies"]["natural"].startswith("busy: HTTP 500")


def test_a_reply_that_never_comes_is_a_timeout(rivals: Rivalry, chat_server: ChatServer) -> None:
    chat_server.behave = lambda words, attempt, handler: "yes" if chat_server.over.wait(30) else None
    few = Rivalry(rivals.context, rivals.items[:2])
    said = few.judged(step(chat_server, chat={"timeout_s": 0.3}, concurrency=8))
    assert {one.evidence["replies"]["natural"] for one in said} == {"timeout: no reply within 0.3 s"}


def test_where_nobody_listens_the_run_ends_and_says_so(rivals: Rivalry, chat_server: ChatServer) -> None:
    with pytest.raises(PrerequisiteError, match="no server listens"):
        rivals.judged(step(chat_server, chat={"base_url": "http://127.0.0.1:9/v1"}))


def test_a_picture_that_cannot_be_decoded_is_no_answer(tmp_path: Path, chat_server: ChatServer) -> None:
    rivals = rivalry(tmp_path)
    broken = rivals.context.path(rivals.context.image(rivals.items[0].evidence["manipulated"]))
    broken.write_bytes(broken.read_bytes()[:60])
    answering(chat_server)
    said = rivals.judged(step(chat_server, concurrency=1))
    assert (said[0].verdict, said[0].reason) == ("ask", "no_answer")
    assert (said[6].verdict, said[6].reason) == ("keep", None)


def test_any_number_at_a_time_gives_the_same_and_counts_for_nothing(rivals: Rivalry, chat_server: ChatServer) -> None:
    chat_server.behave = lambda words, attempt, handler: "yes" if "blue" in words else "no"
    one, many = (rivals.judged(step(chat_server, concurrency=number)) for number in (1, 7))
    assert one == many
    digests = [
        [part.parameters() for part in step(chat_server, concurrency=number, chat={"timeout_s": wait}).parts()]
        for number, wait in ((1, 5), (7, 9))
    ]
    assert digests[0] == digests[1]


@pytest.mark.parametrize(
    ("reply", "said"),
    [
        ("Yes", "yes"), ("no.", "no"), ("**No**, there is none; yes, I am sure", "no"), ("The answer is YES!", "yes"),
        ("Yes and no", "unclear"), ("It could be yes or no", "unclear"), ("Nothing of the kind", "unclear"), ("", "unclear"),
        ("nobody knows", "unclear"), ('"No', "no"), ("<think>no, or is it?</think>Yes", "yes"), ("Nope", "no"),
        ("I see no cup", "unclear"), ("A", "unclear"),
    ],
)  # fmt: skip
def test_replies_say_yes_or_no_or_neither(reply: str, said: str) -> None:
    assert read_yes_no(reply) == said


@given(st.text(max_size=60))
def test_whatever_is_replied_is_one_of_three(reply: str) -> None:
    said = read_yes_no(reply)
    assert said in {"yes", "no", "unclear"}


@pytest.mark.parametrize("wrong", [{}, {"chat": {"model": ""}}, {"chat": {"model": "m"}, "concurrency": 0}])
def test_wrong_settings_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AnswerFlip.model_validate(wrong)
