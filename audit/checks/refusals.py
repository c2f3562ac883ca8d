"""Refusals that questions give away, because the question alone reveals whether the picture can answer it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from benchwright.texts.normalization import counted

from ..check import AuditContext, CheckSkipped, require_words
from ..findings.finding import Finding
from ..source.audited_items import AuditedItems
from .guessing import cue_severity


class RefusalsFromQuestions:
    """Unanswerable questions that are recognizable without the picture, and the templates that reveal them."""

    name: ClassVar[str] = "refusals"
    title: ClassVar[str] = "Questions that reveal by themselves that the picture does not answer them"

    def run(self, audited: AuditedItems, context: AuditContext) -> Iterator[Finding]:
        """Return a finding on the whole set, and one for each revealing template.

        Raises:
            CheckSkipped: Too few items have a refusal option, or it is right in none or in all of them.
        """
        from benchwright.diagnostics.shortcuts.refusal_cues import LEAST_OF_EACH, refusable, refusal_cues

        require_words(audited)
        looked = context.check_each(audited.items, lambda each: refusable(each.item))
        questions = [question for _, question in looked if question is not None]
        cues = refusal_cues(questions)
        if cues is None:
            raise CheckSkipped(
                f"it needs {LEAST_OF_EACH} items in which the refusal choice is right and as many in which another "
                f"option is; the source has {counted(len(questions), 'item')} with a refusal choice (name it with "
                "`--column refusal=COLUMN`)"
            )
        if cues.tells:
            measured = {name: value for name, value in cues.to_json(audited.own_id).items() if name != "templates"}
            yield Finding(
                "refusal_guessable_from_question",
                cue_severity(cues.interval, cues.chance),
                audited.in_order(audited.own_id[item_id] for item_id in cues.guessed),
                cues.summary,
                {"task": None, **measured},
            )
        for template in cues.templates:
            yield Finding(
                "template_tells_refusal",
                "medium",
                audited.in_order(audited.own_id[item_id] for item_id in template.item_ids),
                f"Questions like {template.words!r} are {template.tells} in {len(template.item_ids):,} of "
                f"{template.of:,}: the question reveals it without the picture.",
                {"template": template.words, "tells": template.tells, "of": template.of, "p": template.p},
            )
