"""One rule for classifying a response from a model's server, whichever vendor sent it.

Facts held here: text is read from every shape of content; one content filter is one kind, however a vendor spells it;
a response without text is not an answer and states why; a failure inside a response of status 200 keeps the provider's
words.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchwright.models.endpoints.completions import Completion, read_completion
from benchwright.models.endpoints.vendors.failures import UnusableReply
from benchwright.models.endpoints.vendors.reply_kinds import filtered_by, kind_of


def chat(content: Any, finish: str | None = "stop", **message: Any) -> dict[str, Any]:
    return {"choices": [{"message": {"content": content, **message}, "finish_reason": finish}]}


def read(document: Any) -> Completion:
    return read_completion(json.dumps(document).encode())


GEMINI = {
    "candidates": [{"content": {"parts": [{"text": "so", "thought": True}, {"text": "B"}]}, "finishReason": "STOP"}]
}
RESPONSES = {"output": [{"type": "reasoning"}, {"type": "message", "content": [{"type": "output_text", "text": "B"}]}]}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(chat("B"), id="text"),
        pytest.param(chat([{"type": "text", "text": "B"}]), id="parts"),
        pytest.param(chat([{"type": "thinking", "thinking": "A?"}, {"type": "output_text", "text": "B"}]), id="output_text"),
        pytest.param(chat("B", reasoning_content="A or B"), id="text and thoughts"),
        pytest.param(chat("B", "tool_calls", tool_calls=[{"function": {"name": "f"}}]), id="text and a tool"),
        pytest.param(GEMINI, id="Gemini"),
        pytest.param({"type": "message", "content": [{"type": "text", "text": "B"}], "stop_reason": "end_turn"}, id="Anthropic"),
        pytest.param(RESPONSES, id="Responses"),
    ],
)  # fmt: skip
def test_text_is_read_from_every_shape(document: Any) -> None:
    completion = read(document)
    assert (completion.text, completion.kind, completion.cause) == ("B", "answered", None)


@pytest.mark.parametrize(
    ("document", "kind", "words"),
    [
        pytest.param(chat(""), "empty", "no text", id="empty"),
        pytest.param(chat(" \n"), "empty", "no text", id="blank"),
        pytest.param(chat(None), "empty", "no text", id="null"),
        pytest.param(chat([]), "empty", "no text", id="no parts"),
        pytest.param(chat(None, reasoning_content="A or B"), "empty", "thoughts", id="thoughts beside it"),
        pytest.param(chat("<think>A or B</think>\n"), "empty", "thoughts", id="thoughts inside it"),
        pytest.param(
            chat(None, "tool_calls", tool_calls=[{"function": {"name": "look"}}]), "tool_call", "look", id="a tool"
        ),
        pytest.param(
            {"content": [{"type": "tool_use", "name": "look"}], "stop_reason": "tool_use"}, "tool_call", "look", id="a tool of Anthropic"
        ),
        pytest.param(chat("", "length"), "cut_off", "raise max_tokens", id="cut off in thought"),
        pytest.param(chat("", "MAX_TOKENS"), "cut_off", "raise max_tokens", id="cut off in thought, in capitals"),
    ],
)  # fmt: skip
def test_what_holds_no_text_says_why(document: Any, kind: str, words: str) -> None:
    completion = read(document)
    assert completion.kind == kind
    assert words in (completion.cause or "")
    assert completion.is_silent == (kind != "cut_off")


AZURE = {"choices": [], "prompt_filter_results": [{"content_filter_results": {"violence": {"filtered": True}}}]}
SAFETY = {"candidates": [{"finishReason": "SAFETY", "safetyRatings": []}]}


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(chat("", "content_filter"), id="OpenAI"),
        pytest.param(chat("The answer is probably", "content_filter"), id="stopped midway"),
        pytest.param({"choices": [{"finish_reason": "content_filter"}]}, id="no message"),
        pytest.param(AZURE, id="Azure's prompt"),
        pytest.param(SAFETY, id="Gemini"),
        pytest.param({"promptFeedback": {"blockReason": "SAFETY"}}, id="Gemini's prompt"),
        pytest.param(
            {"error": {"message": "blocked", "code": "content_policy_violation"}}, id="an error of status 200"
        ),
    ],
)
def test_one_content_filter_is_one_kind(document: Any) -> None:
    completion = read(document)
    assert completion.kind == "filtered"
    assert "filter" in (completion.cause or "")


@pytest.mark.parametrize(
    ("status", "error", "words", "name"),
    [
        (400, {"code": "content_policy_violation"}, "", "content_policy_violation"),
        (400, {"innererror": {"code": "ResponsibleAIPolicyViolation"}}, "", "ResponsibleAIPolicyViolation"),
        (403, {"code": 403}, "Your input was flagged by our moderation", "flagged by our moderation"),
        (400, {"code": "invalid_request_error"}, "image too large", None),
        (400, {"param": "content_filter"}, "unknown parameter content_filter", None),
        (500, {"code": "content_filter"}, "", None),
    ],
)
def test_an_error_of_a_filter_is_told_from_others(status: int, error: Any, words: str, name: str | None) -> None:
    assert filtered_by(status, error, words) == name


@pytest.mark.parametrize(
    "document",
    [
        pytest.param(chat(None, refusal="I can't help with that."), id="field"),
        pytest.param(chat([{"type": "refusal", "refusal": "I can't help with that."}]), id="part"),
        pytest.param(
            {"content": [{"type": "text", "text": "I can't help with that."}], "stop_reason": "refusal"}, id="Anthropic"
        ),
    ],
)
def test_a_marked_refusal_keeps_its_words(document: Any) -> None:
    completion = read(document)
    assert (completion.kind, completion.text) == ("refused", "I can't help with that.")


@pytest.mark.parametrize(
    ("document", "words"),
    [
        pytest.param(
            {"error": {"message": "Provider returned error", "code": 502, "metadata": {"raw": "overloaded"}}},
            r"Provider returned error \(code 502, raw overloaded\)",
            id="no choices",
        ),
        pytest.param(
            {
                "choices": [
                    {"message": {"content": ""}, "finish_reason": "error", "error": {"message": "upstream gone"}}
                ]
            },
            "upstream gone",
            id="a choice",
        ),
        pytest.param(chat("", "error"), "finish_reason error", id="without a cause"),
        pytest.param({"id": "x", "choices": []}, "no choices.*'id': 'x'", id="nothing at all"),
        pytest.param({"choices": [{"message": "B"}]}, "its message is 'B'", id="another shape"),
        pytest.param([1], r"\[1\]", id="a list"),
    ],
)
def test_a_failure_inside_a_response_keeps_its_words(document: Any, words: str) -> None:
    with pytest.raises(UnusableReply, match=words):
        read(document)


def test_the_kind_of_a_reply_that_an_older_program_kept_follows_from_text_and_end() -> None:
    assert [kind_of(*kept)[0] for kept in [("B", "stop"), ("", None), ("", "length"), ("", "content_filter")]] == [
        "answered", "empty", "cut_off", "filtered",
    ]  # fmt: skip
