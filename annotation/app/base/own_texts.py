"""Benchwright's own texts that campaigns store in English (forms, guidelines and practice), and names for codes.

A campaign stores its form and guidelines as they were when it opened. The app identifies Benchwright's own texts among
them by their English wording and shows them in the user's language; texts of a curator or a recipe stay unchanged.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from benchwright.funnel.charts import TEXTS as CHART_TEXTS
from benchwright.questions.settings import QuestionSettings
from benchwright.review_files.tasks import FindingCategory

from ...campaigns.on_releases.edits import CRITERIA
from ...forms.campaign_form import CampaignForm
from ...forms.evidence import INSTRUCTIONS as EVIDENCE_INSTRUCTIONS
from ...forms.evidence import LABEL as EVIDENCE_LABEL
from ...forms.fields.field_types import EntryField, FormField, OneOf, Option, RegionField, Repeated, SeveralOf
from ...forms.fields.form import Form
from ...forms.kind_forms.collect import LICENCE, collect_form
from ...forms.kind_forms.description import DESCRIPTION_FORM, description_form
from ...forms.kind_forms.pair import PAIR_FORM
from ...forms.kind_forms.screening import COMMON_REASONS, screening_form
from ...forms.kind_forms.statements import SECTIONS, state_form
from ...forms.kind_forms.writing import DRAWN_LABEL, writing_form
from ...forms.kinds import COLLECT, KINDS, MARK, WRITE
from ...forms.practice_item import PracticeItem, TextBeside, practice_form
from ...practice.practice_items import practice_items
from ..languages.language import ENGLISH, MESSAGES, AppLanguage, TextsBySection, chosen_language
from ..wording.connection_texts import TEXTS as CONNECTION_TEXTS
from ..wording.conversation_texts import TEXTS as CONVERSATION_TEXTS
from ..wording.curator_texts import CODES, ITEM_STATES
from ..wording.curator_texts import TEXTS as CURATOR_TEXTS
from ..wording.marking_texts import TEXTS as MARKING_TEXTS
from ..wording.messages import MESSAGES as ERROR_MESSAGES
from ..wording.own_page_texts import TEXTS as OWN_PAGE_TEXTS
from ..wording.texts import AUDIT_TITLES, TEXTS
from ..wording.viewer_texts import TEXTS as VIEWER_TEXTS
from .page_words import WORDS as STREAMLIT_WORDS

_FORMS, _GUIDELINES, _PRACTICE, NAMES, _CHARTS = "forms", "guidelines", "practice", "names", "charts"
CODES_IN_WORDS = (
    # Kinds of campaigns, which are also their names if a recipe gives none
    "verify", "answer", "review", "screen", "screen_items", "pair", "describe", "state", "collect", "error_analysis",
    "errata", "mark", "write", "reading",
    # Roles
    "annotator", "adjudicator", "curator",
    # Tasks
    "jigsaw", "visual_correspondence", "object_localization", "beyond_the_image", "background_substitution",
    "image_implication", "pair_items", "implication", "practice", "attention", "image",
    # Parts of decisions that agreement compares
    "decision", "reasons",
    # Reasons
    "wrong_answer", "several_answers", "unclear", "bad_image", "too_easy", "other", "no_implication", "poor_quality",
    "mostly_text", "offensive", "personal_data", "ambiguous", "answer_given_away", "key_right", "key_wrong",
    "picture_problem", "duplicate", "wording", "discarded", "conveys", "written", "nothing", "keep", "discard", "same",
    "different", "exact_duplicate", "near_duplicate", "same_bytes", "too_much_text", "unsafe", "answerable_blind",
    "unbalanced_letters", "wording_gives_key_away", "leaked", "too_small",
    # Steps of recipes
    "answer_balance", "answer_flip", "art_style", "basic_vis_qa", "best_candidate", "beyond_vis_qa", "blind_answers",
    "clip_direction", "counting", "dataset", "detected_boxes", "draft_descriptions", "draft_questions",
    "draft_translations", "drawings", "duplicate_questions", "estimated_depth", "evaluate", "exact_duplicates",
    "faces", "facts", "forensic_detection", "freeze", "functional_correspondence", "ideas", "iq_test", "item_safety",
    "items", "know_vis_qa", "language", "leakage", "licences", "manipulate", "multi_view_reasoning",
    "near_duplicates", "pair_gates", "pattern_puzzles", "quality", "question_faults", "question_overlap",
    "relative_depth", "relative_reflectance", "repeated_options", "safety", "second_answers",
    "semantic_correspondence", "shortcuts", "similar_pictures", "spatial_relation", "splits", "text_ratio",
    "unique_images", "visual_similarity", "wording_bias", "written_questions",
    # Verdicts of steps
    "drop", "ask", "failed",
)  # fmt: skip
"""Codes that have a name in each language; other codes appear unchanged, with spaces."""
_NO_CATEGORIES = (
    FindingCategory(code="other", words="Something else", help="None of these; state the error as the reason."),
)
_ASKED = (
    "Does this image belong in the benchmark?",
    "What does this image convey?",
    "What does this picture show?",
    "What could be asked about this picture?",
    "Is this the same picture?",
    "Mark everything that is asked for.",
)
"""Questions of campaigns about pictures, which are not texts of an item."""
_REVIEW = (
    "Answer", "Accurate?", "Reasonable?", "Difficult?", "Yes", "No", "Answer is right?",
    "What is wrong, or what to change (N)", "Send back to its writer?", "What the writer should change",
    "The writer reads this next to the old text (W)", "Sent back",
)  # fmt: skip
"""Texts of a review's form with its default criteria, and of its figures."""
_CATEGORIES = (
    "Hallucinates fine-grained patterns or attributes",
    "The reply describes a pattern, texture or attribute that the picture does not show.",
    "Hallucinates where a visual prompt is",
    "The reply puts a ring, box or letter somewhere else than it is drawn.",
    "Fails to capture the overall setting or style",
    "The reply misjudges the scene, situation or style as a whole.",
    "Fails to ground an object",
    "The reply misses the thing in question, or mistakes another one for it.",
    "Something else",
    "None of these; state the error as the reason.",
    "Metaphorical misunderstanding",
    "The reply misreads the implication or symbol, or misses the theme as a whole.",
    "Detail misunderstanding",
    "The reply mistakes a detail for something else.",
    "Detail ignorance",
    "The reply ignores a detail that matters.",
    "Surface-level interpretation",
    "The reply describes only what the picture plainly shows, not its meaning.",
    "Reasoning error",
    "The reply understands the picture and draws a wrong conclusion.",
    "Reject to answer",
    "The reply declines, because it finds too little information or the question unfit.",
    "Answer extraction error",
    "The reply is right, but its letter was misread or not found.",
    "Superfluous copy",
    "The item shown next to it has the same picture or question and stays. If this item may stay too, decide that its "
    "key is right.",
)
"""Categories that the evaluation room and the audit write into task files: names and help texts."""
_HELPER_TITLES = (
    "Cut out by color", "Segment Anything", "Segment Anything (transformers)", "Find by words (Grounding DINO)",
    "Find by words (OWLv2)", "Ask a model", "Find text",
)  # fmt: skip
"""Titles of the helpers that Benchwright includes; their rooms do not use the app's languages."""


_APP_TEXTS = (
    TEXTS, VIEWER_TEXTS, MARKING_TEXTS, CURATOR_TEXTS, CONNECTION_TEXTS, CONVERSATION_TEXTS, OWN_PAGE_TEXTS,
    CODES, ITEM_STATES,
)  # fmt: skip

AnyField = FormField | EntryField
_TEXTS_OF_FIELDS = ("label", "hint", "entry", "instructions", "section")


def english_texts() -> TextsBySection:
    """Return all texts that a language file translates, by section and key."""
    return {
        **{texts.section: texts.english for texts in _APP_TEXTS},
        NAMES: {code: code.replace("_", " ") for code in CODES_IN_WORDS} | AUDIT_TITLES,
        _FORMS: {text: text for text in dict.fromkeys(_form_texts())},
        _GUIDELINES: {kind.name: kind.guidelines for kind in KINDS.values() if kind.guidelines},
        _PRACTICE: {text: text for text in dict.fromkeys(_practice_texts())},
        STREAMLIT_WORDS.section: STREAMLIT_WORDS.english,
        _CHARTS: {text: text for text in CHART_TEXTS},
        MESSAGES: {message: message for message in ERROR_MESSAGES},
    }


def form_in_language(form: Form | None) -> Form | None:
    """Return a typed form with labels, hints, options and their help in the chosen language."""
    return form if form is None or chosen_language() is ENGLISH else _translated_form(form, chosen_language())


def field_in_language(field: RegionField) -> RegionField:
    """Return a region field that accompanies a decision, with label and instructions in the chosen language."""
    return field.model_copy(
        update={"label": form_text(field.label), "instructions": form_text(field.instructions)},
    )


def form_text(english: str) -> str:
    """Return a text of a form, or a campaign's question about a picture, in the chosen language."""
    return chosen_language().translated(english, _FORMS)


def chart_text(english: str) -> str:
    """Return a text of the charts of the funnel in the chosen language."""
    return chosen_language().text(_CHARTS, english, english)


def guidelines_in_language(text: str) -> str:
    """Return guidelines in the chosen language if they are their campaign kind's default; otherwise unchanged."""
    return chosen_language().translated(text, _GUIDELINES)


def practice_in_language(item: PracticeItem, kind: str) -> PracticeItem:
    """Return a practice item in the chosen language if it is one of its kind's defaults; otherwise unchanged."""
    language = chosen_language()
    if language is ENGLISH or item not in practice_items(kind):
        return item

    def words(text: str) -> str:
        return language.translated(text, _PRACTICE)

    content = item.content.model_copy(
        update={
            "question": words(item.content.question),
            "choices": tuple(
                choice if choice.text is None else choice.model_copy(update={"text": words(choice.text)})
                for choice in item.content.choices
            ),
        }
    )
    beside = tuple(TextBeside(label=words(text.label), text=words(text.text)) for text in item.beside)
    return item.model_copy(update={"content": content, "why": words(item.why), "beside": beside})


@lru_cache(maxsize=256)
def _translated_form(form: Form, language: AppLanguage) -> Form:
    def words(text: str) -> str:
        return language.translated(text, _FORMS)

    def options(listed: tuple[Option, ...]) -> tuple[Option, ...]:
        update = [{"words": words(option.words), "help": words(option.help)} for option in listed]
        return tuple(option.model_copy(update=parts) for option, parts in zip(listed, update, strict=True))

    def is_ours(field: AnyField) -> bool:
        texts = [field.label, getattr(field, "hint", "")]
        listed = getattr(field, "options", ())
        has_ours = (
            not listed
            or field.name == LICENCE
            or field.label == DRAWN_LABEL
            or any(option.words != words(option.words) for option in listed)
        )
        return has_ours and all(not text or text != words(text) for text in texts)

    def translated(field: AnyField) -> AnyField:
        if not is_ours(field):  # a recipe's own field may contain the same words
            return field
        update: dict[str, object] = {
            name: words(text) for name in _TEXTS_OF_FIELDS if isinstance(text := getattr(field, name, None), str)
        }
        if isinstance(field, OneOf | SeveralOf | RegionField):
            update["options"] = options(field.options)
        elif isinstance(field, Repeated):
            update["fields"] = tuple(translated(part) for part in field.fields)
        return field.model_copy(update=update)

    return form.model_copy(update={"fields": tuple(translated(field) for field in form.fields)})


def _form_texts() -> Iterator[str]:
    """Yield the texts of the default forms, for all settings that a recipe can choose."""
    collecting = collect_form(("cc0-1.0", "cc-by-4.0"), max_bytes=1, max_pixels=1, min_side_px=1)
    forms = [
        DESCRIPTION_FORM,
        description_form(several_types=True, drafts=True),
        PAIR_FORM,
        screening_form(COMMON_REASONS),
    ]
    forms += [collecting, state_form(SECTIONS)]
    forms.append(writing_form(QuestionSettings(refusal="allowed")))
    forms += [kind.form(_NO_CATEGORIES) for kind in KINDS.values() if kind.form is not None]
    practising = [practice_form(kind, CampaignForm(fields=collecting.fields)).typed for kind in (COLLECT, MARK, WRITE)]
    for form in [*forms, *filter(None, practising)]:
        yield from texts_of_fields(form.fields)
    yield from (
        *_REVIEW,
        *CRITERIA.values(),
        *_ASKED,
        *_CATEGORIES,
        EVIDENCE_LABEL,
        EVIDENCE_INSTRUCTIONS,
        *_HELPER_TITLES,
        DRAWN_LABEL,
    )


def texts_of_fields(fields: Sequence[AnyField]) -> Iterator[str]:
    """Yield the visible texts of fields: labels, hints, options with their help, and the texts of entries."""
    for field in fields:
        yield from (text for name in _TEXTS_OF_FIELDS if (text := getattr(field, name, "")))
        if isinstance(field, OneOf | SeveralOf | RegionField) and field.name != LICENCE:
            for option in field.options:
                yield from filter(None, (option.words, option.help))
        elif isinstance(field, Repeated):
            yield from texts_of_fields(field.fields)


def _practice_texts() -> Iterator[str]:
    """Yield the texts of the default practice items that contain words."""
    for kind in KINDS:
        for item in practice_items(kind):
            choices = [choice.text for choice in item.content.choices if choice.text and not choice.text.isdecimal()]
            yield from (item.content.question, *choices, item.why)
            for text in item.beside:
                yield from (text.label, text.text)
