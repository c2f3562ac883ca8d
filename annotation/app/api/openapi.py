"""The OpenAPI 3.1 document of the HTTP API, generated from its operations and their models."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import models_json_schema

import benchwright

from .operation import JSON, KEY_HEADER, MOST_BYTES, MOST_TABLE_BYTES, ROOT, TABLE, ApiOperation
from .problems import KINDS, MEDIA_TYPE

_REFERENCE = "#/components/schemas/{model}"
_PART = re.compile(r"\{(\w+)(:number)?\}")
_PARTS = {
    "campaign": "Name of the campaign, as the recipe calls the step.",
    "task": "Number of the task.",
    "place": "Place of the picture in its task, from 0.",
    "message": "Number of the flag, comment or message.",
    "person": "Name under which the person decides.",
    "token": "Number of the token.",
    "webhook": "Number of the webhook.",
    "delivery": "Number of the delivery.",
    "job": "Id of the job.",
}
_PROBLEM = "Problem"
_INTRODUCTION = (
    "The review app for programs. Every request carries `Authorization: Bearer TOKEN`; a token gives access to "
    "one campaign, on behalf of one person. Writes accept an `Idempotency-Key`: the app carries out a request "
    "with the same key once, and repeats the answer for a day. Errors are problem details (RFC 9457): `errors` "
    f"names each field, its value and the values allowed. Bodies hold at most {MOST_BYTES:,} bytes as JSON and "
    f"{MOST_TABLE_BYTES:,} as a table. No operation reads a cookie."
)


def openapi_document(operations: Sequence[ApiOperation]) -> dict[str, Any]:
    """Return the document that describes the given operations."""
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        path = ROOT + _PART.sub(r"{\1}", operation.path)
        paths.setdefault(path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Benchwright review API", "version": benchwright.__version__, "description": _INTRODUCTION},
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "servers": [{"url": "/"}],
        "security": [{"token": []}],
        "paths": paths,
        "components": {
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer", "description": "A token of the API."}},
            "schemas": {**_schemas(operations), _PROBLEM: _problem_schema()},
        },
    }


def _operation(operation: ApiOperation) -> dict[str, Any]:
    scopes = " or ".join(f"`{scope}`" for scope in operation.scopes)
    about = " ".join(filter(None, [operation.about, f"Needs a token of the scope {scopes}."]))
    described: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "description": about,
        "tags": list(operation.scopes),
        "parameters": [*_parameters(operation)],
        "responses": {str(operation.status): _answer(operation), "default": _problems()},
    }
    if operation.body is not None:
        described["requestBody"] = _request_body(operation.body)
    return described


def _parameters(operation: ApiOperation) -> Iterator[dict[str, Any]]:
    for name, number in _PART.findall(operation.path):
        schema: dict[str, Any] = {"type": "integer", "minimum": 0} if number else {"type": "string"}
        yield {"name": name, "in": "path", "required": True, "description": _PARTS[name], "schema": schema}
    if operation.query is not None:
        fields = operation.query.model_json_schema(ref_template=_REFERENCE)
        for name, about in fields["properties"].items():
            is_needed = name in fields.get("required", ())
            kept = {key: value for key, value in about.items() if key not in {"description", "title"}}
            words = about.get("description", "")
            yield {"name": name, "in": "query", "required": is_needed, "description": words, "schema": kept}
    if operation.writes:
        about = "A new key, such as a UUID, for each new request."
        schema = {"type": "string", "minLength": 1, "maxLength": 255}
        yield {"name": KEY_HEADER, "in": "header", "required": False, "description": about, "schema": schema}


def _request_body(body: type[BaseModel] | type[bytes]) -> dict[str, Any]:
    if body is bytes:
        return {"required": True, "content": {TABLE: {"schema": {"type": "string", "maxLength": MOST_TABLE_BYTES}}}}
    assert issubclass(body, BaseModel)
    is_needed = any(field.is_required() for field in body.model_fields.values())
    return {"required": is_needed, "content": {JSON: {"schema": {"$ref": _REFERENCE.format(model=body.__name__)}}}}


def _answer(operation: ApiOperation) -> dict[str, Any]:
    if operation.status == 204:
        return {"description": "Done."}
    schema = (
        {"type": "string"} if operation.reply is None else {"$ref": _REFERENCE.format(model=operation.reply.__name__)}
    )
    return {"description": operation.summary, "content": {operation.returns: {"schema": schema}}}


def _problems() -> dict[str, Any]:
    schema = {"$ref": _REFERENCE.format(model=_PROBLEM)}
    return {"description": "What is wrong, and what to do.", "content": {MEDIA_TYPE: {"schema": schema}}}


def _schemas(operations: Sequence[ApiOperation]) -> dict[str, Any]:
    wanted: dict[type[BaseModel], Literal["validation", "serialization"]] = {}
    for operation in operations:
        if operation.body is not None and operation.body is not bytes:
            assert issubclass(operation.body, BaseModel)
            wanted[operation.body] = "validation"
        if operation.reply is not None:
            wanted[operation.reply] = "serialization"
    _, document = models_json_schema([*wanted.items()], ref_template=_REFERENCE)
    return dict(document["$defs"])


@cache
def _problem_schema() -> dict[str, Any]:
    text = {"type": "string"}
    mistake = {"type": "object", "properties": {"field": text, "value": text, "detail": text}}
    return {
        "type": "object",
        "description": "ApiProblem details (RFC 9457).",
        "properties": {
            "type": {**text, "enum": [f"/api/#problem-{kind}" for kind in KINDS]},
            "title": text,
            "status": {"type": "integer"},
            "detail": {**text, "description": "Description of this problem."},
            "do": {**text, "description": "Advice for the program."},
            "errors": {
                "type": "array",
                "items": mistake,
                "description": "Mistakes in single fields, if any.",
            },
        },
        "required": ["type", "title", "status", "detail", "do"],
    }
