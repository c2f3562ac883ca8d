"""A report as an HTML parser sees it: elements with attributes, texts, and the JSON in its scripts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

VOID = frozenset({"br", "hr", "img", "input", "link", "meta", "wbr"})


class Element(NamedTuple):
    tag: str
    attributes: dict[str, str | None]
    texts: list[str]

    @property
    def text(self) -> str:
        return " ".join("".join(self.texts).split())


class ReportPage(HTMLParser):
    """`elements` in order; the `texts` of each are those of all its content."""

    def __init__(self, path: Path) -> None:
        super().__init__(convert_charrefs=True)
        self.source = path.read_text(encoding="utf-8")
        self.elements: list[Element] = []
        self._open: list[Element] = []
        self.feed(self.source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, dict(attrs), [])
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(Element(tag, dict(attrs), []))

    def handle_endtag(self, tag: str) -> None:
        assert self._open, f"</{tag}> closes nothing"
        assert self._open[-1].tag == tag, f"</{tag}> closes <{self._open[-1].tag}>"
        self._open.pop()

    def handle_data(self, data: str) -> None:
        for element in self._open:
            element.texts.append(data)

    def close(self) -> None:
        super().close()
        assert self._open == []

    def all(self, tag: str, **attributes: str) -> Iterator[Element]:
        wanted = {name.rstrip("_"): value for name, value in attributes.items()}
        for element in self.elements:
            if element.tag == tag and wanted.items() <= element.attributes.items():
                yield element

    def json(self, name: str) -> Any:
        [element] = self.all("script", id=name)
        return json.loads("".join(element.texts))

    def tables(self) -> list[list[Element]]:
        """Return the cells of each table, row by row."""
        found: list[list[Element]] = []
        for element in self.elements:
            if element.tag == "table":
                found.append([])
            elif element.tag in {"th", "td"}:
                found[-1].append(element)
        return found

    def rows(self, named: str = "score-table") -> list[list[str]]:
        """Return the texts of a table's cells, head first: of the table with that id, or of those without."""
        found: list[list[str]] = []
        table = ""
        for element in self.elements:
            if element.tag == "table":
                table = element.attributes.get("id") or ""
            if table != named:
                continue
            if element.tag == "tr":
                found.append([])
            elif element.tag in {"th", "td"}:
                found[-1].append(element.text)
        return found
