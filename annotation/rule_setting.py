"""A rule as a step's setting: checked when the recipe is read, and kept in one spelling."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from pydantic import AfterValidator

from benchwright.errors import BenchwrightError

from .rules import parse_rule


def _spelled(value: str) -> str:
    try:
        return str(parse_rule(value))
    except BenchwrightError as error:
        raise ValueError(str(error)) from None


RuleSetting = Annotated[str, AfterValidator(_spelled)]
"""`single`, `unanimous(2)`, `majority(3)`, `at_least(4, of=5)` or another of their kind."""


def _of_annotators(value: str) -> str:
    rule = parse_rule(value)
    if rule.is_adjudicated:
        raise ValueError(
            f"an adjudicator decides in `verify` and `review` only; did you mean {replace(rule, is_adjudicated=False)}?"
        )
    return value


AnnotatorsRule = Annotated[RuleSetting, AfterValidator(_of_annotators)]
"""The same where annotators have the last word."""
