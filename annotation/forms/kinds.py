"""The kinds of campaigns, and the questions that they ask annotators.

A kind defines what a browser may show, and the fields of its typed form, if any. A new kind needs only an entry here:
the store checks its values, and the app and tables of decisions show them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from benchwright.review_files.tasks import FindingCategory

from .fields.field_types import OneChoice, OneOf, OnlyIf, Option, SeveralOf, TextField
from .fields.form import Form

VERIFY, ANSWER, REVIEW, ERROR_ANALYSIS, ERRATA = "verify", "answer", "review", "error_analysis", "errata"
SCREEN, SCREEN_ITEMS, PAIR, DESCRIBE, COLLECT = "screen", "screen_items", "pair", "describe", "collect"
STATE, WRITE = "state", "write"
MARK = "mark"
READING = "reading"
TO_WRITER, CHANGE = "to_writer", "change"
"""Decision or review field that sends an item back to its writer, and the field with the requested change."""
KEY_RIGHT, KEY_WRONG, AMBIGUOUS, PICTURE_PROBLEM = "key_right", "key_wrong", "ambiguous", "picture_problem"
"""Possible findings of an annotator about a key."""
CHOOSES = "option"
"""An annotator's finding about a reply that chooses an option."""


@dataclass(frozen=True)
class CampaignKind:
    """One kind of campaign.

    Args:
        name: Name in campaigns, recipes and commands.
        shows_key: Whether its annotators see which choice is right; they answer such an item in no other campaign.
        form: Function from the categories of a file of tasks to the typed form; None for kinds that recipes open, whose
            step has the form, or whose answers are a decision with reasons and a note.
        rule: Acceptance rule, with `{n}` for the number of annotators.
        annotators: Number of annotators for each task, unless `review open` sets another number.
        guidelines: Guidelines for annotators, in Markdown.
    """

    name: str
    shows_key: bool
    form: Callable[[Sequence[FindingCategory]], Form] | None = None
    rule: str = "answers({n})"
    annotators: int = 1
    guidelines: str = ""


def _error_analysis(categories: Sequence[FindingCategory]) -> Form:
    options = tuple(Option(code=category.code, words=category.words, help=category.help) for category in categories)
    return Form(
        fields=(
            SeveralOf(name="categories", label="What went wrong", options=options),
            TextField(name="reason", label="Reason", hint="What in the reply shows it (N)"),
        )
    )


def _errata(categories: Sequence[FindingCategory]) -> Form:
    further = tuple(
        Option(code=category.code, words=category.words, help=category.help)
        for category in categories
        if category.code not in (KEY_WRONG, AMBIGUOUS, PICTURE_PROBLEM)
    )
    findings = (
        Option(code=KEY_RIGHT, words="The key is right"),
        Option(code=KEY_WRONG, words="The key is wrong", help="Another option is right, or none of them."),
        Option(code=AMBIGUOUS, words="Ambiguous", help="More than one option can be defended."),
        Option(
            code=PICTURE_PROBLEM, words="Problem with a picture", help="Broken, the wrong one, or too poor to tell."
        ),
        *further,
    )
    return Form(
        fields=(
            OneOf(name="finding", label="The item", options=findings),
            OneChoice(
                name="instead",
                label="Right instead (leave open if none is)",
                is_required=False,
                is_key_offered=False,
                only_if=OnlyIf(field="finding", codes=(KEY_WRONG,)),
            ),
            TextField(
                name="reason",
                label="Reason",
                hint="How you can tell (N)",
                only_if=OnlyIf(field="finding", codes=tuple(option.code for option in findings[1:])),
            ),
        )
    )


def _reading(categories: Sequence[FindingCategory]) -> Form:
    del categories
    gives = (
        Option(code=CHOOSES, words="It chooses one option"),
        Option(code="none", words="It chooses none", help="It refuses, names several, or says nothing of the kind."),
        Option(code="unclear", words="Cannot be determined", help="Two careful readers could disagree."),
    )
    return Form(
        fields=(
            OneOf(name="gives", label="The reply", options=gives),
            OneChoice(name="letter", label="Which one", only_if=OnlyIf(field="gives", codes=(CHOOSES,))),
        )
    )


KINDS = {
    kind.name: kind
    for kind in (
        CampaignKind(
            VERIFY,
            shows_key=True,
            rule="majority({n})",
            annotators=2,
            guidelines=(
                "Work the answer out **yourself** from the pictures before you look at what is marked as right.\n\n- "
                "**Accept** the item if the question is clear, exactly one option is right, and it is the one that is "
                "marked.\n- **Reject** it if it cannot be fixed, for example because its pictures do not show what "
                "the question asks. Name **every** reason that applies.\n- **Revise** it if it is worth keeping and "
                "something about it is not right yet: fix the text or the marked option, or say in a note what should "
                "change.\n\nAn item is not fit if its words alone give the answer away, or if two options can be "
                "defended. Where an option says that nothing in the picture answers, it is right only if nothing "
                "does: not seeing the answer at once is not enough.\n\nLook closely before you decide: zoom in, and "
                "switch marks off and on again. Decide by yourself. Skip what you cannot decide now; it comes again."
            ),
        ),
        CampaignKind(
            ANSWER,
            shows_key=False,
            guidelines=(
                "Choose the option that you think is right, from what you see in the pictures. This measures how well "
                "people do, so answer by yourself: do not look anything up or ask others, and take the time that you "
                "need.\n\n**Always choose one**, also where you are unsure or none seems right. If something about a "
                "question is wrong, choose what fits best, and flag it for a curator."
            ),
        ),
        CampaignKind(
            REVIEW,
            shows_key=True,
            rule="majority({n})",
            annotators=3,
            guidelines=(
                "**First answer** the question by yourself. Nothing says yet which option counts as right, and your "
                "answer cannot be changed afterwards.\n\n**Then judge** it, with the right option and its explanation "
                "before you. Vote on each point as you find it, also where you had answered otherwise: a good "
                "question may well have caught you out. Where you vote *no*, fix what is wrong if you can, the "
                "question, an option, the right option or the explanation, or say in a note what it is."
            ),
        ),
        CampaignKind(
            SCREEN,
            shows_key=False,
            guidelines=(
                "Keep an image that says something worth asking about: one that stands for more than the things in "
                "it, such as a metaphor, a contrast, a joke or a reproach, which its viewers have to find out by "
                "themselves.\n\n"
                "Discard one that means no more than what it shows, that is read rather than seen, that is too poor to "
                "be understood, or that must not be published, and name **every** reason. Do not keep an image because "
                "it is beautiful, nor discard one because you disagree with what it says."
            ),
        ),
        CampaignKind(
            SCREEN_ITEMS,
            shows_key=True,
            guidelines=(
                "Work the answer out **yourself** before you look at what is marked as right. Discard an item of "
                "which more than one option can be defended, and any other that a careful person could get wrong "
                "without being at fault: one whose key is not right, whose words give the answer away, or whose "
                "picture is too poor to tell.\n\nKeep what is hard and right. That it took you a while is no reason "
                "to discard an item."
            ),
        ),
        CampaignKind(
            COLLECT,
            shows_key=False,
            guidelines=(
                "Find a **photograph** of what the prompt describes: taken with a camera, sharp, neither drawn nor "
                "generated. It shows all that the prompt names, large enough to ask about. Take it only if its page "
                "states one of the licenses offered, and name its author as the license requires. Your own photograph "
                "is welcome if you may give it away under one of them."
            ),
        ),
        CampaignKind(
            DESCRIBE,
            shows_key=False,
            guidelines=(
                "Discard an image that means no more than what it shows. Of the others, say what kind of image it is "
                "and how people would fare with it, explain what it conveys, and write one to three questions about "
                "its finer points: **one** option is right, five are wrong and could still be fallen for. Write in "
                "English, and name no private person."
            ),
        ),
        CampaignKind(
            STATE,
            shows_key=False,
            guidelines=(
                "State what the picture **shows**, in plain words that a reader who has never seen it would "
                "understand. Look first, write then: zoom in where you are not sure.\n\n- A question that the picture "
                "**answers** has one right option, which every viewer can see, and wrong ones that are plausible and "
                "plainly not there.\n- A question that it does **not** answer is one that a viewer might well ask. "
                "Its options sound likely, and nothing in sight decides between them. Say of which kind it is.\n- "
                "Give all questions of a picture the same number of options, so that none stands out.\n\nA **model's "
                "draft** counts only once you accept it. Check every word of it against the picture, and correct or "
                "discard it: a draft that sounds right is often wrong. Name no private person."
            ),
        ),
        CampaignKind(
            WRITE,
            shows_key=False,
            guidelines=(
                "Write questions that cannot be answered **without looking** at this picture, and that all careful "
                "viewers answer alike.\n\n- A question **names** what it asks about, and asks one thing.\n- **One** "
                "option is right. The others are wrong for certain, and plausible to a reader who has not looked: of "
                "the same kind, as long, and worded alike.\n- An explanation says what in the picture makes the "
                "option right.\n\nIf the picture gives no good question, say so. Write in the language of the "
                "benchmark, and name no private person."
            ),
        ),
        CampaignKind(
            PAIR,
            shows_key=False,
            guidelines=(
                "Are these two files of **one** picture, of which one was made from the other? Compare them under the "
                "slider and blinking (`M`).\n\n- **The same picture**: one was made smaller, cropped, recolored, "
                "captioned or mirrored, and whatever is in sight in both lies where it was.\n- **Different "
                "pictures**: another moment, another angle or another thing, however much alike. Two photographs of "
                "one scene are different pictures."
            ),
        ),
        CampaignKind(
            MARK,
            shows_key=False,
            guidelines=(
                "Mark **everything** that is asked for, and nothing else, even if others mark it too. Zoom in until "
                "you see the edges: what you mark is measured on the pixels of the picture itself.\n\n- A **box** "
                "touches the thing on all four sides, with whatever of it is in sight; what is hidden is not "
                "guessed.\n- A **point** lies on the thing, in its middle unless something else is asked for.\n- An "
                "**outline** or a **mask** follows the edge, without the shadow.\n\nWhat a helper proposes is a "
                "draft: keep it only if you would have drawn it so. If nothing of what is asked for is in sight, say "
                "so; if the picture does not show whether it is there, say that you cannot tell."
            ),
        ),
        CampaignKind(
            ERROR_ANALYSIS,
            shows_key=True,
            form=_error_analysis,
            guidelines=(
                "A model got this item wrong. Read its reply next to the key and the pictures, name **every** "
                "category that applies, and say in a sentence what in the reply shows it. Judge what is written "
                "there, not what the model may have meant; if the reply is right and the key is not, flag the item "
                "for a curator."
            ),
        ),
        CampaignKind(
            ERRATA,
            shows_key=True,
            form=_errata,
            rule="majority({n})",
            annotators=3,
            guidelines=(
                "The key of this item is in doubt. Work the answer out **yourself** from the pictures before you look "
                "at what models and other people said: they may all be wrong.\n\nThe key is **right** if it can be "
                "defended and no other option can, **wrong** if another option is right or none is, and the item is "
                "**ambiguous** if more than one can be defended. Say how you can tell, in words that a critic could "
                "check."
            ),
        ),
        CampaignKind(
            READING,
            shows_key=False,
            form=_reading,
            annotators=2,
            guidelines=(
                "Say **which option the reply chooses**, not which one is right: do not answer the question yourself, "
                "and look at the pictures only where options are pictures.\n\n"
                "Read the reply to its end. What counts is where it comes out: an option that it only mentions, rules "
                "out or takes back is not chosen, and an option can be chosen in other words than its own. Where it "
                "comes out at none, or at several, it chooses **none**."
            ),
        ),
    )
}

AUTHORED_KINDS = (COLLECT, DESCRIBE, WRITE)
"""Kinds in which annotators do not vote but write items or submit pictures, each in a separate slot."""
ATTENTION = "attention"
"""Task name, instead of one such as `jigsaw`, for items that only check whether annotators read the questions."""
WITH_KEY = tuple(sorted(kind.name for kind in KINDS.values() if kind.shows_key))
"""Kinds whose annotators know too much to answer the same items blind."""
BLIND_KINDS = (ANSWER, REVIEW)
"""Kinds whose annotators must not know the key when they begin; `review` shows it once they have answered."""


def shows_key(kind: str) -> bool:
    """Return whether annotators in a kind of campaign see which choice is right; True for unknown kinds."""
    return kind not in KINDS or KINDS[kind].shows_key
