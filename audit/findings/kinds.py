"""Kinds of findings that several parts of an audit use: those about words, and those that annotators can judge."""

from __future__ import annotations

from .finding import Finding

FAULTS = {
    "spelling": ("misspelled_words", "Words in no word list"),
    "article": ("wrong_article", "`a` and `an` before the wrong sound"),
    "agreement": ("words_that_disagree", "Words that do not agree in number, person or tense"),
    "doubled_word": ("doubled_word", "Words repeated in a row"),
    "capital": ("small_first_letter", "Questions that begin with a lowercase letter"),
    "end_mark": ("no_end_mark", "Questions without final punctuation"),
    "too_long": ("very_long_text", "Very long questions or options"),
    "too_short": ("very_short_question", "Very short questions"),
}
"""Kind and summary of the finding for each fault of the step `language`."""

PICTURES_ALIKE = ("duplicate_picture", "duplicate_picture_across_splits", "similar_pictures")
"""Kinds about pictures that are, or may be, copies of one another."""
ASKED_TWICE = ("repeated_question", "nearly_repeated_question", "question_asked_again")
"""Kinds about items of which one is sufficient."""
ITEM_KINDS = (
    "suspected_key", "explanation_contradicts_key", "explanation_names_wrong_option",
    "contradicting_keys", "missing_key",
    "key_not_an_option", "several_keys", "ambiguous_key", "unreadable_key",
    "duplicate_in_other_collection", "question_elsewhere", "second_right_option", "key_denied_by_model",
)  # fmt: skip
"""Kinds about single items that annotators can judge by looking; those of bad pictures (`blank_picture`) belong here
too."""
WORDING_KINDS = (
    "repeated_option", "options_equal_but_for_spelling", "similar_options", "options_mean_the_same",
    "options_related_in_meaning", "range_holds_right_option", "option_points_at_others", "missing_value_as_option",
    "option_without_words", "option_carries_other_letter", "question_lists_other_options", "options_miscounted",
    "options_answer_another_question", "asks_for_several", "option_says_it_is_right", "question_names_answer",
    "alt_text_names_answer", "article_tells_answer", "number_tells_answer", "gender_tells_answer",
    "tense_tells_answer", "phrase_tells_answer", "placeholder_text", "authors_note",
    "question_breaks_off", "template_field", "garbled_characters", "markup_in_text", "personal_data",
    "marked_picture_not_there", "named_picture_not_there", "color_of_grey_picture",
    *(name for name, _ in FAULTS.values())
)  # fmt: skip
"""Kinds about the words of single items, which annotators can edit."""
AMBIGUOUS = "ambiguous_item"
"""Kind about single items on which people or models split, which annotators answer without the key before judging
them."""


def is_asked(finding: Finding) -> bool:
    """Return whether annotators can judge a finding; other findings must be fixed in the source."""
    kinds = (*PICTURES_ALIKE, *ASKED_TWICE, *ITEM_KINDS, *WORDING_KINDS, AMBIGUOUS)
    return finding.kind in kinds or is_about_bad_picture(finding)


def is_about_bad_picture(finding: Finding) -> bool:
    """Return whether a picture may be unusable for a question; a slightly small or dark picture is usable."""
    return finding.kind.endswith("_picture") and finding.severity != "low"
