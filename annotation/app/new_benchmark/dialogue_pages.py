"""The pages of the dialogue as HTML: one for each step, and one with the forecast for the benchmark."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from benchwright.texts.normalization import printable

from ...forms.kinds import KINDS as CAMPAIGN_KINDS
from ...jobs.allowed_folders import AllowedFolders
from ..auth.known_pages import NEW_BENCHMARK
from ..base.own_texts import guidelines_in_language
from ..own_pages.curator_requests import TOKEN, CuratorRequest
from ..own_pages.html_fields import (
    FieldWords,
    area_field,
    check_field,
    choice_field,
    facts_list,
    hidden,
    radio_fields,
    shown_when,
    text_field,
)
from ..wording.curator_texts import rule_in_words, words_for
from ..wording.own_page_texts import TEXTS
from ..wording.texts import title_of
from .outlook import Outlook, PlannedItems
from .plan import ACCEPTED, KINDS, OF_PHOTOGRAPHS, SOURCES, SPLITS, STEPS, BenchmarkPlan, Step
from .planned_recipe import PlannedRecipe
from .uploaded_tables import ENDINGS, MOST_BYTES

DRAFT = f"{NEW_BENCHMARK}/draft"
TABLE = f"{NEW_BENCHMARK}/table"


class DialogueForm:
    """The fields of one step, filled with the input so far.

    Args:
        answers: The input, by field.
        problems: Its problems, by field.
        folders: Folders that a curator may name.
        tables: Names of the uploaded tables.
    """

    def __init__(
        self,
        answers: Mapping[str, str],
        problems: Mapping[str, str],
        folders: AllowedFolders,
        tables: Sequence[str] = (),
    ) -> None:
        self._answers = answers
        self._problems = problems
        self._folders = folders
        self._tables = tables

    def page(self, step: Step, token: str) -> str:
        """Return a step's form as HTML."""
        parts = {
            "source": self._source,
            "question": self._question,
            "people": self._people,
            "care": self._care,
        }
        place = STEPS.index(step)
        back = ""
        if place:
            path = f"{NEW_BENCHMARK}/{STEPS[place - 1]}"
            back = f'<a class="button quiet" href="{path}">{escape(TEXTS["step_back"])}</a>'
        return (
            f'<form method="post" action="{NEW_BENCHMARK}/{step}" data-draft="{DRAFT}" novalidate>'
            f'{hidden(TOKEN, token)}{parts[step]()}<div class="buttons">'
            f'<button type="submit">{escape(TEXTS["step_on"])}</button>{back}'
            f'<span class="hint" role="status" data-saved="{escape(TEXTS["draft_saved"])}" '
            f'data-unsaved="{escape(TEXTS["draft_unsaved"])}"></span></div></form>'
        )

    def _words(self, field: str, *, hint: bool = True, **values: object) -> FieldWords:
        """Return the texts of a field; the key of the label is `field_NAME`, and that of the hint `hint_NAME`."""
        below = TEXTS[f"hint_{field}"].format(**values) if hint else ""
        return FieldWords(TEXTS[f"field_{field}"], below, self._problems.get(field, ""))

    def _text(self, field: str, *, hint: bool = True, more: str = "", kind: str = "text") -> str:
        return text_field(field, self._answers[field], self._words(field, hint=hint), kind=kind, more=more)

    def _number(self, field: str, least: int, most: int, *, hint: bool = True) -> str:
        more = f'inputmode="decimal" min="{least}" max="{most}" autocomplete="off"'
        return self._text(field, hint=hint, more=more)

    def _folder(
        self, field: str, names: Sequence[str], *, none: str | None = None, more: Mapping[str, str] | None = None
    ) -> str:
        options = {} if none is None else {"": TEXTS[none]}
        if none is None:
            options[""] = TEXTS["choose"]
        chosen = self._answers[field]
        options |= {**(more or {}), **{name: name for name in names}}
        if chosen and chosen not in options:  # a folder deeper than the listed ones
            options[chosen] = chosen
        return choice_field(field, chosen, self._words(field), options)

    def _source(self) -> str:
        names = self._folders.names()
        options = [(code, TEXTS[f"source_{code}"], TEXTS[f"source_{code}_why"]) for code in SOURCES]
        sent = {"": TEXTS["choose"], **{name: name.partition("/")[2] + f" ({name[:6]})" for name in self._tables}}
        if self._answers["table"] and self._answers["table"] not in sent:
            sent[self._answers["table"]] = self._answers["table"]
        file = (
            f'<div class="field"><label for="file">{escape(TEXTS["field_file"])}</label>'
            f'<input type="file" id="file" accept="{",".join(ENDINGS)}" data-upload="{TABLE}" data-into="table" '
            f'data-most="{MOST_BYTES}" data-sending="{escape(TEXTS["sending"])}" aria-describedby="file-words">'
            f'<p class="hint" id="file-words" role="status" data-failed="{escape(TEXTS["send_failed"])}" '
            f'data-large="{escape(TEXTS["send_large"].format(most=MOST_BYTES >> 20))}">'
            f"{escape(TEXTS['hint_file'].format(most=MOST_BYTES >> 20))}</p></div>"
        )
        table = file + choice_field("table", self._answers["table"], self._words("table", hint=False), sent)
        table += self._folder("pictures", names, none="pictures_in_table")
        return (
            self._text("name", more='autocomplete="off" maxlength="60"')
            + radio_fields("source", self._answers["source"], self._words("source", hint=False), options)
            + shown_when("source", ["table"], table)
            + shown_when("source", ["release"], self._folder("release", self._folders.releases()))
            + shown_when("source", OF_PHOTOGRAPHS, self._folder("folder", names))
            + shown_when("source", ["folders", "asked"], self._text("question", more='maxlength="500" dir="auto"'))
            + shown_when("source", ["asked"], self._area("choices", rows=4))
            + shown_when("source", ["photographs"], self._text("task") + self._number("options", 2, 20))
        )

    def _question(self) -> str:
        kinds = [(code, title_of(code), TEXTS[f"kind_{code}_why"]) for code in KINDS]
        splits = [(code, TEXTS[f"split_{code}"], TEXTS[f"split_{code}_why"]) for code in SPLITS]
        usual = "".join(shown_when("kind", [kind], _usual_words(kind)) for kind in KINDS)
        votes = f'<div class="two">{self._number("votes", 1, 9)}{self._number("agree", 1, 9)}</div>'
        return (
            radio_fields("kind", self._answers["kind"], self._words("kind", hint=False), kinds)
            + self._area("guidelines", rows=5)
            + usual
            + shown_when("kind", ["verify", "screen_items"], self._area("reasons", rows=4))
            + votes
            + shown_when(
                "kind",
                ["verify", "review", "answer"],
                check_field("adjudicated", self._answers["adjudicated"], self._words("adjudicated")),
            )
            + self._number("baseline", 0, 9)
            + radio_fields("split", self._answers["split"], self._words("split", hint=False), splits)
            + shown_when("split", ["shares"], self._number("parts", 2, 9, hint=False))
        )

    def _area(self, field: str, *, rows: int) -> str:
        return area_field(field, self._answers[field], self._words(field), rows=rows, more='dir="auto"')

    def _people(self) -> str:
        return (
            self._area("people", rows=5)
            + f'<div class="two">{self._number("hours_a_day", 0, 24)}{self._number("seconds", 1, 3600)}</div>'
            + f'<div class="two">{self._number("rate", 0, 100_000)}{self._text("currency", more="maxlength=3")}</div>'
        )

    def _care(self) -> str:
        return (
            self._folder("gold", self._folders.releases(), none="no_gold", more={ACCEPTED: TEXTS["gold_as_accepted"]})
            + shown_when("gold", [ACCEPTED], self._number("gold_votes", 2, 9))
            + check_field("attention", self._answers["attention"], self._words("attention"))
            + check_field("qualification", self._answers["qualification"], self._words("qualification"))
            + self._number("pass_mark", 1, 5)
            + check_field("pause", self._answers["pause"], self._words("pause"))
        )


def _usual_words(kind: str) -> str:
    """Return the default guidelines for a kind of campaign."""
    words = guidelines_in_language(CAMPAIGN_KINDS[kind].guidelines or "")
    summary = escape(TEXTS["usual_guidelines"])
    return f'<details><summary>{summary}</summary><pre dir="auto" tabindex="0">{escape(words)}</pre></details>'


def step_links(here: Step) -> str:
    """Return the links to the steps of the dialogue."""
    entries = "".join(
        f'<li><a href="{NEW_BENCHMARK}/{step}"{" aria-current=step" if step == here else ""}>'
        f"{number}. {escape(TEXTS[f'step_{step}'])}</a></li>"
        for number, step in enumerate(STEPS, 1)
    )
    return f'<ol class="steps">{entries}</ol>'


def check_body(
    plan: BenchmarkPlan, planned: PlannedRecipe, items: PlannedItems, outlook: Outlook, asked: CuratorRequest
) -> str:
    """Return the forecast for the benchmark, its recipe, and the button that opens the benchmark."""
    count = TEXTS["about_count" if items.is_estimate else "just_count"].format(count=items.items)
    facts = [
        (TEXTS["fact_items"], count),
        (TEXTS["fact_campaign"], f"{title_of(plan.kind)}: {rule_in_words(str(plan.rule))}"),
    ]
    if items.campaigns:
        parts = ", ".join(f"{name} {number}" for name, number in items.campaigns.items())
        facts.append((TEXTS["fact_campaigns"], parts))
    if plan.gold_votes is not None:
        facts.append((TEXTS["field_gold"], TEXTS["gold_fills"].format(votes=plan.gold_votes, count=0)))
    if plan.baseline:
        facts.append((TEXTS["fact_baseline"], TEXTS["just_count"].format(count=plan.baseline)))
    if items.left_out:
        reasons = ", ".join(f"{words_for(reason)} {number}" for reason, number in items.left_out.items())
        facts.append((TEXTS["fact_left_out"], f"{reasons}. {printable(items.example)[:300]}"))
    cost = f"{outlook.cost:,.2f} {plan.pay.currency}"
    facts += [
        (TEXTS["fact_decisions"], TEXTS["just_count"].format(count=outlook.decisions)),
        (TEXTS["fact_hours"], TEXTS["hours_of"].format(count=round(outlook.hours, 1), seconds=plan.seconds)),
        (TEXTS["fact_cost"], cost if plan.pay.rate else TEXTS["unpaid"]),
        (TEXTS["fact_end"], TEXTS["end_unknown"] if outlook.end is None else outlook.end.isoformat()),
    ]
    lacking = ""
    if outlook.lacking:
        words = TEXTS["people_lacking"].format(needed=outlook.people_needed, lacking=outlook.lacking)
        lacking = f'<p class="problem">{escape(words)}</p>'
    is_empty = not items.items
    none = f'<p class="problem">{escape(TEXTS["no_items"])}</p>' if is_empty else ""
    return (
        f'{facts_list(facts)}<p class="hint">{escape(TEXTS["outlook_why"])}</p>{lacking}{none}'
        f'<h2>{escape(TEXTS["recipe_text"])}</h2><pre tabindex="0" dir="ltr">{escape(planned.text)}</pre>'
        f'<p class="hint">{escape(TEXTS["recipe_text_why"])}</p>'
        f'<form method="post" action="{NEW_BENCHMARK}/check">{hidden(TOKEN, asked.token)}<div class="buttons">'
        f'<button type="submit"{" disabled" if is_empty else ""}>{escape(TEXTS["open_benchmark"])}</button>'
        f'<a class="button quiet" href="{NEW_BENCHMARK}/care">{escape(TEXTS["step_back"])}</a></div></form>'
    )


def invitation_rows(links: Sequence[tuple[str, str]]) -> str:
    """Return the table of names and invitation links."""
    if not links:
        return ""
    rows = "".join(
        f'<tr><th scope="row"><bdi>{escape(name)}</bdi></th><td dir="ltr"><code>{escape(link)}</code></td></tr>'
        for name, link in links
    )
    return (
        f"<h2>{escape(TEXTS['invitations'])}</h2><p>{escape(TEXTS['invitations_why'])}</p>"
        f'<div class="scroll" tabindex="0"><table aria-label="{escape(TEXTS["invitations"])}">'
        f"<tbody>{rows}</tbody></table></div>"
    )
