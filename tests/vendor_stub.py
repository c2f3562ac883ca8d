"""Responses of servers in the form of their documentation: one entry per server, for one stub that plays each of them.

Sources, as far as they were at hand: the reference pages of OpenAI (chat completions, Responses), Anthropic (Messages,
errors), Gemini (generateContent, errors), Azure OpenAI, Alibaba Cloud Model Studio, OpenRouter (errors), vLLM, llama.cpp,
Ollama, LM Studio and Mistral, and messages that users report in issues of LiteLLM, MaxKB, eca and gptme. The refusals of
Ollama, llama.cpp, LM Studio and Model Studio are as recalled.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from typing import Any, NamedTuple


class Server(NamedTuple):
    """One server.

    Args:
        model: Model's name for Benchwright.
        root: Path that an address on it ends in.
        path: Path of a request.
        key_header: Header with the key, and what stands before it there.
        refusal: Status and document that refuse the field `temperature`.
        wrong_key: Status and document for a wrong key.
        filtered: Status and document for what a content filter stops.
    """

    model: str
    root: str
    path: str
    key_header: tuple[str, str]
    refusal: tuple[int, Any]
    wrong_key: tuple[int, Any]
    filtered: tuple[int, Any]


def _openai_error(message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"message": message, "type": "invalid_request_error", "param": None, "code": None, **more}}


def _claude_error(kind: str, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def _gemini_error(code: int, status: str, message: str, **more: Any) -> dict[str, Any]:
    return {"error": {"code": code, "message": message, "status": status, **more}}


_BEARER = ("authorization", "Bearer ")
_WRONG = (401, _openai_error("Incorrect API key provided", code="invalid_api_key"))
_FILTERED = (400, _openai_error("The response was filtered", code="content_filter"))
_VLLM = "[{'type': 'extra_forbidden', 'loc': ('body', 'temperature'), 'msg': 'Extra inputs are not permitted', 'input': 0.5}]"
_RAW = '{"error":{"message":"Unsupported parameter: \'temperature\' is not supported with this model.","param":"temperature"}}'


def _chat(root: str, refusal: tuple[int, Any], **changes: Any) -> Server:
    entry = Server("openai:m", root, f"{root}/chat/completions", _BEARER, refusal, _WRONG, _FILTERED)
    return entry._replace(**changes)


SERVERS: dict[str, Server] = {
    "OpenAI": _chat(
        "/v1",
        (
            400,
            _openai_error(
                "Unsupported parameter: 'temperature' is not supported with this model.",
                param="temperature",
                code="unsupported_parameter",
            ),
        ),
    ),
    "vLLM": _chat("/v1", (400, {"object": "error", "message": _VLLM, "type": "BadRequestError", "code": 400})),
    "llama.cpp": _chat("/v1", (400, {"error": {"code": 400, "message": "unknown field `temperature`", "type": "x"}})),
    "Ollama": _chat("/v1", (400, _openai_error("temperature: extra inputs are not permitted"))),
    "LM Studio": _chat("/v1", (400, {"error": "Unrecognized key(s) in object: 'temperature'"})),
    "OpenRouter": _chat(
        "/api/v1",
        (
            400,
            {
                "error": {
                    "code": 400,
                    "message": "Provider returned error",
                    "metadata": {"provider_name": "OpenAI", "raw": _RAW},
                }
            },
        ),
        filtered=(
            403,
            {
                "error": {
                    "code": 403,
                    "message": "m requires moderation on Provider. Your input was flagged for violence",
                    "metadata": {"reasons": ["violence"], "flagged_input": "...", "provider_name": "Provider"},
                }
            },
        ),
    ),
    "Azure": _chat(
        "/openai/v1",
        (400, _openai_error("Unrecognized request argument supplied: temperature")),
        filtered=(
            400,
            _openai_error(
                "The response was filtered due to the prompt triggering Azure OpenAI's content management policy.",
                param="prompt",
                code="content_filter",
                status=400,
                innererror={"code": "ResponsibleAIPolicyViolation"},
            ),
        ),
    ),
    "DashScope": _chat(
        "/compatible-mode/v1",
        (400, _openai_error("<400> InternalError.Algo.InvalidParameter: parameter temperature is not supported")),
        filtered=(
            400,
            _openai_error("Input data may contain inappropriate content.", code="data_inspection_failed"),
        ),
    ),
    "Mistral": _chat(
        "/v1",
        (
            422,
            {
                "object": "error",
                "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "temperature"], "msg": "Extra inputs"}]},
                "type": "invalid_request_error",
            },
        ),
    ),
    "Responses": Server(
        "responses:m", "/v1", "/v1/responses", _BEARER,
        (400, _openai_error("Unknown parameter: 'temperature'.", param="temperature", code="unknown_parameter")), _WRONG,
        _FILTERED,
    ),
    "Anthropic": Server(
        "anthropic:m", "", "/v1/messages", _BEARER,
        (
            400,
            _claude_error(
                "invalid_request_error",
                "`temperature` is deprecated for this model.",
            ),
        ),
        (401, _claude_error("authentication_error", "invalid x-api-key")),
        (400, _claude_error("invalid_request_error", "Output blocked by content filtering policy")),
    ),
    "Gemini": Server(
        "gemini:m", "", "/v1/models/m:generateContent", ("x-goog-api-key", ""),
        (
            400,
            _gemini_error(
                400, "INVALID_ARGUMENT", "Invalid JSON payload received. Unknown name \"temperature\" at 'generation_config'"
            ),
        ),
        (
            400,
            _gemini_error(
                400,
                "INVALID_ARGUMENT",
                "API key not valid. Please pass a valid API key.",
                details=[{"@type": "type.googleapis.com/google.rpc.ErrorInfo", "reason": "API_KEY_INVALID"}],
            ),
        ),
        (200, {"promptFeedback": {"blockReason": "SAFETY"}, "usageMetadata": {"promptTokenCount": 9}}),
    ),
}  # fmt: skip


def reply(server: Server, text: str) -> dict[str, Any]:
    """Return the document of an answer: 20 tokens sent, 7 received, 4 of them thoughts."""
    kind = server.model.partition(":")[0]
    if kind == "gemini":
        parts = [{"text": "hm", "thought": True}, {"text": text}]
        usage = {"promptTokenCount": 20, "candidatesTokenCount": 3, "thoughtsTokenCount": 4, "totalTokenCount": 27}
        candidate = {"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}
        return {"candidates": [candidate], "usageMetadata": usage, "modelVersion": "m"}
    if kind == "anthropic":
        content = [{"type": "thinking", "thinking": "hm", "signature": "x"}, {"type": "text", "text": text}]
        usage = {"input_tokens": 15, "cache_read_input_tokens": 5, "output_tokens": 7}
        return {
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": content,
            "stop_reason": "end_turn", "stop_sequence": None, "usage": usage,
        }  # fmt: skip
    if kind == "responses":
        message = {
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [{"type": "output_text", "text": text, "annotations": []}],
        }  # fmt: skip
        usage = {"input_tokens": 20, "output_tokens": 7, "output_tokens_details": {"reasoning_tokens": 4}}
        output = [{"type": "reasoning", "id": "rs_1", "summary": []}, message]
        return {"id": "resp_1", "object": "response", "status": "completed", "output": output, "usage": usage}
    usage = {
        "prompt_tokens": 20, "completion_tokens": 7, "total_tokens": 27,
        "completion_tokens_details": {"reasoning_tokens": 4},
    }  # fmt: skip
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return {"id": "chatcmpl-1", "object": "chat.completion", "model": "m", "choices": [choice], "usage": usage}


def fields_of(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return where a request's fields of decoding stand."""
    return body.get("generationConfig", body)


def system_of(body: Mapping[str, Any]) -> Any:
    """Return a request's system message."""
    if "systemInstruction" in body:
        return body["systemInstruction"]["parts"][0]["text"]
    first = (body.get("messages") or [{}])[0]
    return (
        body.get("instructions")
        or body.get("system")
        or (first.get("content") if first.get("role") == "system" else None)
    )


def pictures_of(body: Mapping[str, Any]) -> list[bytes]:
    """Return the pictures of a request's last message, decoded from wherever its API has them."""
    turns = body.get("messages") or body.get("input") or body["contents"]
    files = []
    for part in turns[-1].get("content") or turns[-1]["parts"]:
        if part.get("type") == "image_url":
            files.append(part["image_url"]["url"].partition("base64,")[2])
        elif part.get("type") == "input_image":
            files.append(part["image_url"].partition("base64,")[2])
        elif part.get("type") == "image":
            assert part["source"]["type"] == "base64"
            assert part["source"]["media_type"] == "image/png"
            files.append(part["source"]["data"])
        elif "inlineData" in part:
            assert part["inlineData"]["mimeType"] == "image/png"
            files.append(part["inlineData"]["data"])
    return [base64.b64decode(file, validate=True) for file in files]
