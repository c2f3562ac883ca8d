"""All texts of the curator's pages, in two mappings that a translation replaces."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

CODES: Mapping[str, str] = MappingProxyType(
    {
        "accept": "accepted",
        "reject": "rejected",
        "revise": "to be revised",
        "no_agreement": "no agreement",
        "decided": "decided",
        "begun": "begun",
        "untouched": "untouched",
        "waits": "left to an adjudicator",
        "failed_review": "failed the review",
        "passed": "passed",
        "revised": "revised",
        "dropped": "dropped",
        "waiting": "left to an adjudicator",
        "open": "open",
        "send_back": "sent back",
        "yes": "yes",
        "no": "no",
        "divided": "divided",
    }
)
"""Words for outcomes of tasks and for decisions. Codes of a campaign's own form are not among them."""

TEXTS: Mapping[str, str] = MappingProxyType(
    {
        # Splits
        "all": "All together",
        "day": "Day",
        "kind": "By kind of question",
        "task": "By task",
        "category": "By category",
        "time": "Over time",
        "round": "By round",
        "none": "(none)",
        # Progress
        "funnel": "What became of the tasks",
        "funnel_why": "Under {rule}. What is open yet counts as begun or untouched.",
        "tasks": "Tasks",
        "closed_sure": (
            "{tasks} tasks closed because those who decided leave too little doubt to ask again; {spared} votes were "
            "spared. The rule settles them by the votes that they have."
        ),
        "by_day": "Decisions by day",
        "divided": "Where annotators disagree",
        "of_task": "Task",
        "item_id": "Item",
        "who_said": "Who said what",
        "divided_why": "The newest {most} such tasks. Who said what, with their notes.",
        "reckoning": "Reckoning …",
        "rounds": "Round by round",
        "rounds_why": "How many items came to each round, and what became of them there. A revised item comes again.",
        "items": "Items",
        "nth_round": "Round {round}",
        "adjudicated": "What adjudicators decided",
        "adjudicated_why": "{cases} cases; {against} decisions against what most annotators had said.",
        "by_adjudicator": "Decisions by adjudicator",
        "by_said": "Decisions, and what most annotators had said",
        "where_said": "{decision} · annotators: {said}",
        "against": "{times} (against)",
        # Agreement
        "agreement": "Agreement",
        "what": "What is compared",
        "in_order": "The options have an order",
        "agreement_why": (
            "Over the decisions so far, on tasks that two or more decided. Bars are 95 % intervals from a bootstrap "
            "over tasks; there is none where fewer than {least} tasks were compared, or where all of them agree alike."
        ),
        "closed_early": (
            "{tasks} tasks closed before all their annotators had decided. With the decisions that they lack, "
            "agreement would hardly be higher and may be lower."
        ),
        "compared": "{compared} of {units} tasks compared",
        "shown": "Shown in the plots",
        "votes": "Votes by criterion",
        "votes_why": "How many reviewers say yes to each criterion, and how far they agree on it.",
        "criteria": "Votes",
        "undefined": "undefined",
        "why_undefined": (
            "Undefined means that there is nothing to measure: nobody shares a task, everybody says the same of "
            "everything, or the statistic is for other data (Cohen: two annotators; Fleiss: equally many decisions "
            "on every task)."
        ),
        "units": "tasks",
        "raters": "annotators",
        "without": "Without each annotator",
        "without_why": "How far the others agree. Where it rises, the one left out says something else than the rest.",
        "nothing_said": "Nobody has decided anything yet.",
        # Annotators
        "annotators": "Annotators",
        "annotators_why": "It tells whom to talk to, and changes nothing: the rule alone decides what is accepted.",
        "name": "Name",
        "decisions": "Decisions",
        "on_gold": "Right on gold",
        "with_others": "With the others",
        "with_others_why": "Share of tasks on which each says what most of the others say.",
        "estimated": "Estimated accuracy",
        "alpha_without": "Alpha without",
        "median_s": "Median seconds, of decisions timed",
        "pace": "Pace",
        "fast": "suspiciously fast",
        "usual": "as usual",
        "too_few": "too few to tell",
        "too_fast": "Too fast to look and read",
        "too_fast_why": (
            "*Too fast to look and read* counts decisions that took less time than anybody needs for a glance at each "
            "picture and for skimming the words. One of them proves nothing. Talk to somebody who has many."
        ),
        "not_enough": "not enough: {n} shared tasks, of {least}",
        "estimate": "{share:.2f} from {n} shared tasks",
        "alpha_of": "{alpha:.2f} on {n} tasks",
        "seconds_of": "{seconds:.1f} of {n}",
        "confusion": "Likely errors",
        "confusion_why": (
            "Estimated by the model of Dawid and Skene: of the tasks whose truth is the row, the share on which "
            "{name} says the column. It rests on {n} tasks that others decided too."
        ),
        "no_confusion": "{name} shares {n} tasks with others. Errors are estimated from {least}.",
        "truth": "Truth",
        "of": "{share:.0%} of {n}",
        # Reasons
        "reasons": "Reasons",
        "reasons_why": "How often each reason was given, and the newest tasks that it was given for.",
        "no_reasons": "No reasons were given yet.",
        "examples": "Examples",
        "item": "Item {item}",
        "picture": "First picture of item {item}",
        # People
        "assigned": "Who decides where",
        "assigned_why": "A campaign is everybody's until you assign some. Whoever is taken off keeps what they said.",
        "everybody": "Everybody",
        "only": "Only those assigned",
        "assigned_to": "Assigned to {campaign}",
        "open_to": "{campaign} is for",
        "save": "Save",
        "not_assigned": "This campaign is for others. Ask a curator to assign you, or pick another one.",
    }
)


def words_for(code: str) -> str:
    """Return the words for a code of a form or of an outcome; without an entry, the code with spaces."""
    return CODES.get(code, code.replace("_", " ").replace("+", " + "))
