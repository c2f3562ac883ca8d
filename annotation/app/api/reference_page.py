"""The reference page of the HTTP API: plain HTML, without scripts or requests to the network."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from html import escape
from typing import Any

from .problems import KINDS

_STYLE = """
:root { color-scheme: light dark } body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 60rem;
  padding: 1rem } code, pre { font: 14px/1.45 ui-monospace, monospace } pre { overflow-x: auto; padding: .75rem;
  border: 1px solid; border-radius: 6px } h2 { margin-top: 2.5rem } h3 { margin: 2rem 0 .25rem }
.method { font-weight: 700 } table { border-collapse: collapse; width: 100% } th, td { text-align: start;
  vertical-align: top; padding: .3rem .75rem .3rem 0; border-block-end: 1px solid } nav li { line-height: 1.75rem }
"""
_CODE = re.compile(r"`([^`]+)`")


def reference_page(document: Mapping[str, Any]) -> str:
    """Return the page that describes an OpenAPI document."""
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    listed = "".join(
        f'<li><a href="#{operation["operationId"]}">{escape(operation["summary"])}</a></li>'
        for _, _, operation in operations
    )
    schemas = document["components"]["schemas"]
    parts = [
        f"<h1>{escape(document['info']['title'])}</h1>",
        f"<p>{_words(document['info']['description'])} The same as a document: "
        '<a href="/api/openapi.json">openapi.json</a> (OpenAPI 3.1).</p>',
        f"<nav aria-label=Operations><ul>{listed}</ul></nav>",
        "<h2>Operations</h2>",
        *(_operation(method, path, operation) for method, path, operation in operations),
        "<h2>Bodies and answers</h2>",
        *(_schema(name, schema) for name, schema in schemas.items()),
        "<h2>Problems</h2>",
        *_problems(),
    ]
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, '
        f'initial-scale=1"><title>{escape(document["info"]["title"])}</title><style>{_STYLE}</style></head>'
        f"<body><main>{''.join(parts)}</main></body></html>"
    )


def _operation(method: str, path: str, operation: Mapping[str, Any]) -> str:
    rows = [(p["name"], f"{p['in']}, {_kind(p['schema'])}", p["description"]) for p in operation["parameters"]]
    body = [
        ("body", f"{media}, {_kind(content['schema'])}", "")
        for media, content in operation.get("requestBody", {}).get("content", {}).items()
    ]
    answers = [
        (status, f"{media}, {_kind(content['schema'])}", answer["description"])
        for status, answer in operation["responses"].items()
        for media, content in (answer.get("content") or {"": {"schema": {}}}).items()
        if status != "default"
    ]
    return (
        f'<h3 id="{operation["operationId"]}">{escape(operation["summary"])}</h3>'
        f'<p><code><span class="method">{method}</span> {escape(path)}</code></p>'
        f"<p>{_words(operation['description'])}</p>{_table([*rows, *body, *answers])}"
    )


def _schema(name: str, schema: Mapping[str, Any]) -> str:
    needed = set(schema.get("required", ()))
    rows = [
        (field, _kind(about) + (", required" if field in needed else ""), about.get("description", ""))
        for field, about in schema.get("properties", {}).items()
    ]
    return f'<h3 id="schema-{name}">{escape(name)}</h3><p>{_words(schema.get("description", ""))}</p>{_table(rows)}'


def _problems() -> Iterator[str]:
    for name, kind in KINDS.items():
        yield f'<h3 id="problem-{name}">{kind.status}: {escape(kind.title)}</h3><p>{_words(kind.do)}</p>'


def _table(rows: list[tuple[str, str, str]]) -> str:
    if not rows:
        return ""
    cells = "".join(
        f"<tr><th scope=row><code>{escape(name)}</code></th><td>{kind}</td><td>{_words(words)}</td></tr>"
        for name, kind, words in rows
    )
    return f"<table>{cells}</table>"


def _kind(schema: Mapping[str, Any]) -> str:
    """Return the type of a schema in HTML, as a link if it has a name."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f'<a href="#schema-{name}">{escape(name)}</a>'
    if "anyOf" in schema:
        return " or ".join(_kind(part) for part in schema["anyOf"])
    if "enum" in schema:
        return " or ".join(f"<code>{escape(json.dumps(value))}</code>" for value in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    bounds = [f"{words} {schema[name]}" for name, words in _BOUNDS.items() if name in schema]
    return escape(", ".join([str(schema.get("type", "any value")), *bounds]))


_BOUNDS = {
    "minimum": "from", "maximum": "to", "minLength": "at least", "maxLength": "at most", "minItems": "at least",
    "maxItems": "at most", "default": "default",
}  # fmt: skip


def _words(text: str) -> str:
    return _CODE.sub(r"<code>\1</code>", escape(text))
