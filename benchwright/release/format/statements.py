"""Facts known only to the curators of a release: authors, annotators' consent and pay, and terms of access."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError, field_validator

from benchwright.errors import DataError
from benchwright.records import LANGUAGE_CODE, Record

MAX_BYTES = 2**20
Line = Annotated[str, Field(min_length=1, max_length=500, pattern=r"^[^\x00-\x1f\x7f]*$")]
Language = Annotated[str, Field(pattern=LANGUAGE_CODE)]
Text = Annotated[str, Field(min_length=1, max_length=20_000)]

QUESTIONS: dict[str, str] = {
    "purpose": "For what purpose was the dataset created?",
    "creators": "Who created the dataset, and on behalf of whom?",
    "funding": "Who funded the creation of the dataset?",
    "sensitive": "Does the dataset contain data that might be offensive, confidential or sensitive?",
    "people_shown": "Does the dataset relate to people, and can they be identified?",
    "people_asked": "Did the people concerned know of the collection, and consent to it?",
    "collected_when": "Over what time was the data collected?",
    "ethics": "Were any ethical review processes conducted?",
    "uses": "For what has the dataset been used, and what should it not be used for?",
    "maintenance": "Who maintains the dataset, and how can they be reached?",
    "updates": "Will the dataset be updated?",
}
"""Questions of the data sheet (Gebru et al., Datasheets for Datasets, 2021) that no file answers."""


class Statements(Record):
    """The curators' statements, which are all optional and appear on the card in their own words.

    Args:
        authors: Names of the benchmark's authors, for its citation; may be empty.
        url: URL of the benchmark's page.
        languages: Languages of its texts, as ISO 639 codes such as `en`.
        consent: How annotators were informed and gave consent.
        pay: How annotators were paid, or why they were not.
        access_terms: Terms that applicants must accept; if set, the release is gated on the Hub.
        access_fields: Facts that applicants must give, such as `[Name, Affiliation]`; only with `access_terms`.
        datasheet: Answers to the questions of the data sheet that no file answers, by key.
    """

    authors: list[Line] = Field(default_factory=list)
    url: Annotated[str, Field(pattern=r"^https?://[^\s<>\"]+$", max_length=2008)] | None = None
    languages: list[Language] = Field(default_factory=list)
    consent: Text | None = None
    pay: Text | None = None
    access_terms: Text | None = None
    access_fields: list[Line] = Field(default_factory=list)
    datasheet: dict[str, Text] = Field(default_factory=dict)

    @field_validator("datasheet")
    @classmethod
    def _answers_known_questions(cls, answers: dict[str, str]) -> dict[str, str]:
        if unknown := sorted(set(answers) - set(QUESTIONS)):
            raise ValueError(f"no question has the key {unknown[0]!r}; the keys are {', '.join(QUESTIONS)}")
        return answers

    def document(self) -> dict[str, Any]:
        """Return the statements as JSON values, without the unset ones."""
        return {name: value for name, value in self.model_dump(mode="json").items() if value}


def read_statements(path: Path) -> Statements:
    """Return the statements in a YAML or JSON file.

    Raises:
        DataError: The file cannot be read, or has unexpected fields or values.
    """
    import yaml

    try:
        if path.stat().st_size > MAX_BYTES:
            raise DataError(f"{path} is larger than {MAX_BYTES:,} bytes; it is not a file of statements")
        text = path.read_text(encoding="utf-8")
        document = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
        return Statements.model_validate(document if document is not None else {})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        place = ".".join(map(str, first["loc"])) or "the file"
        raise DataError(f"{path}: {place}: {first['msg']}") from error
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError, RecursionError) as error:
        raise DataError(f"{path} cannot be read as YAML or JSON: {' '.join(str(error).split())[:300]}") from error
