"""Options in another language or script than the question and the other options.

The script identifies the language; for Latin letters, lists of frequent words do
(`benchwright.diagnostics.wording.languages`), which contain no names. Questions about languages, words and the text of
a sign may have options in any language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from benchwright.errors import PrerequisiteError

from ..answer_kinds.option_kinds import kinds_of
from ..wording.foreign_words import foreign_option, foreign_words_of_question, is_loan
from ..wording.languages import foreign_words, is_known_in, language_of, odd_language
from ..wording.odd_options import main_script, option_in_another_script, script_of_words
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt

_LANGUAGES = (
    r"translat\w+|languages?|english|german|french|spanish|italian|chinese|latin|japanese|korean|russian|arabic|"
    r"dish(?:es)?|foods?|desserts?|drinks?|songs?|tempo|musical|ballet|operas?|latin|wines?|cheeses?|coffees?|pasta|legal|"
    r"muscles?|sprache|übersetz\w*|heißt|bedeutet|englisch|langue|traduit|traduction|"
    r"signifie|anglais|idioma|traduc\w+|significa|inglés|lingua"
)
_ABOUT_LANGUAGES = re.compile(rf"\b(?:{_LANGUAGES})\b|翻译|英文|英语|语言", re.IGNORECASE)
_ABOUT_WORDS = re.compile(
    rf"\b(?:{_LANGUAGES}|words?|signs?|says?|said|reads?|writ(?:es?|ten|ing)|characters?|letters?|means?|meaning|names?|"
    r"named|called|titles?|texts?|captions?|labels?|slogans?|brands?|wort|wörter|mots?|palabra|parola|palavra)\b"
    r"|翻译|英文|英语|什么意思|单词|文字|语言",
    re.IGNORECASE,
)
_QUOTES_WORDS = re.compile(
    r"\b(?:signs?|says?|said|reads|written|writing|words?|titles?|slogans?|brands?|meaning|articles?)\b", re.IGNORECASE
)
_NAME = re.compile(r"[A-ZÀ-Ý]\S*(?: (?:[A-ZÀ-Ý]\S*|de|la|le|el|del|di|da|von|van|du|des|der))+\.?")
_QUOTED = re.compile(r"[\"“”„«‘][^\"“”„«»’]*[\"“”»’]|<[^<>]*>|\\[a-z]+|\$[^$]*\$")
_WORDS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_IN_WORDS = re.compile(r"[^\W\d_]+(?:[ '’-][^\W\d_]+)*\.?")
_IN_BRACKETS = re.compile(r"(?<=\S)\s*[(\[][^()\[\]]*[)\]]\s*$")
"""Text in parentheses after an option: a gloss, or a note that is not part of the option."""
_LEAST_RUN = 2
_LEAST_OPTIONS = 3
_LONGEST_NICKNAME = 4
_LEAST_WORDS = 4


def _of_one(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield the option whose language or script neither the question nor another option has."""
    texts = [str(choice.text) for choice in facts.worded]
    odd = option_in_another_script(texts)
    odd = _odd_script(facts.item.question, texts) if odd is None else odd
    if odd is not None:
        yield _fault(facts, odd, "script")
    elif (len(texts) >= _LEAST_OPTIONS and (odd := _odd_language(facts.item.question, texts)) is not None) or (
        odd := _odd_among_english(facts.item.question, texts)
    ) is not None:
        yield _fault(facts, odd, "language")


def _odd_among_english(question: str, texts: Sequence[str]) -> int | None:
    """Return the index of the only option in another language if the question and other options are English."""
    try:
        if (
            _ABOUT_LANGUAGES.search(question)
            or _QUOTES_WORDS.search(question)
            or language_of(" ".join([question, *texts])) not in ("en", None)
        ):
            return None
        found = foreign_option([_IN_BRACKETS.sub("", text) for text in texts])
        return None if found is None else found[0]
    except PrerequisiteError:
        return None


def _fault(facts: ItemFacts, odd: int, what: str) -> ItemFault:
    option = facts.worded[odd]
    return ItemFault(
        f"Option {option.key}, {option.text!r}, is in another {what} than the others.",
        {"option": option.key, "text": option.text},
        "medium" if option is facts.right else None,
        "likely" if what == "script" else "possible",
    )


def _odd_script(question: str, texts: Sequence[str]) -> int | None:
    """Return the index of the option whose script the question and all others lack, ignoring numbers and formulas."""
    scripts = [main_script(text) for text in texts]
    of_question = script_of_words(question)
    odd = [n for n, script in enumerate(scripts) if script and script != of_question]
    is_alone = len(odd) == 1 and scripts.count(scripts[odd[0]]) == 1
    is_known = of_question in _SCRIPTS and is_alone and scripts[odd[0]] in _SCRIPTS
    is_phrase = is_known and (scripts[odd[0]] != "LATIN" or len(texts[odd[0]].split()) > 1)
    return odd[0] if is_phrase and not _ABOUT_WORDS.search(question) else None


_SCRIPTS = frozenset(["LATIN", "CJK", "CYRILLIC", "ARABIC", "HANGUL", "HEBREW", "DEVANAGARI", "HIRAGANA", "THAI"])


def _odd_language(question: str, texts: Sequence[str]) -> int | None:
    """Return the index of the only option in a language other than the question's."""
    try:
        language = language_of(question) or language_of(" ".join([question, *texts]))
        if language is None or _ABOUT_LANGUAGES.search(question):
            return None
        odd = [
            n for n, text in enumerate(texts)
            if not _NAME.fullmatch(text.strip()) and not is_loan(text) and odd_language(text, language)
        ]  # fmt: skip
        others = [text for n, text in enumerate(texts) if n not in odd]
        is_alone = len(odd) == 1 and 2 * sum(is_known_in(text, language) for text in others) >= len(others)
        is_sure = is_alone and (len(texts[odd[0]].split()) > _LEAST_OPTIONS or not _ABOUT_WORDS.search(question))
        if is_sure:
            return odd[0]
        return None if odd or _ABOUT_WORDS.search(question) else _odd_word(texts, language)
    except PrerequisiteError:
        return None  # the check of languages reports that the lists are missing


def _odd_word(texts: Sequence[str], language: str) -> int | None:
    """Return the index of the only option with words of another language, if all other words are frequent."""
    foreign = [None if language == "en" and kinds_of(text) else foreign_words(text, language) for text in texts]
    odd = [n for n, found in enumerate(foreign) if found is not None]
    if len(odd) != 1 or _NAME.fullmatch(texts[odd[0]].strip()) or is_loan(texts[odd[0]]):
        return None
    other = (foreign[odd[0]] or ("", []))[0]
    others = [text for n, text in enumerate(texts) if n != odd[0]]
    are_words = all(_IN_WORDS.fullmatch(text.strip()) and is_known_in(text, language) for text in others)
    are_small = [text.strip()[:1].islower() for text in others]
    word, is_small = texts[odd[0]].strip(), texts[odd[0]].strip()[:1].islower()
    is_no_name = is_small or (other == "de" and all(are_small)) or len(word) > _LONGEST_NICKNAME
    return odd[0] if are_words and is_no_name and (is_small in are_small or "de" in (language, other)) else None


def _in_question(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if two or more consecutive words of the question are in another language than the rest of it."""
    question = _QUOTED.sub(" . ", facts.item.question)
    try:
        language = language_of(question) or language_of(" ".join([question, *(text for _, text in facts.texts)]))
        if language is None or _ABOUT_WORDS.search(question):
            return
        for run in _runs(question, language):
            yield ItemFault(
                f"The question is in one language ({language}), but its words {run[1]!r} are in another ({run[0]}).",
                {"question": excerpt(question), "words": run[1], "languages": [language, run[0]]},
            )
            return
        if language == "en" and (word := foreign_words_of_question(question)) is not None:
            yield ItemFault(
                f"The question is in English, but its word {word!r} is in another language.",
                {"question": excerpt(question), "words": word, "languages": ["en"]},
            )
    except PrerequisiteError:
        return


def _runs(question: str, language: str) -> Iterator[tuple[str, str]]:
    """Yield runs of words in another language, each with that language; capitalized words are treated as names."""
    words = list(_WORDS.finditer(question))
    known = [foreign_words(match.group(), language) is not None and match.group()[:1].islower() for match in words]
    at = 0
    while at < len(words):
        if not known[at]:
            at += 1
            continue
        end = at
        while end < len(words) and (known[end] or words[end].group()[:1].isupper()):
            end += 1
        run = question[words[at].start() : words[end - 1].end()]
        found = foreign_words(run, language)
        if sum(known[at:end]) >= _LEAST_RUN and found is not None and len(found[1]) >= _LEAST_RUN:
            yield found[0], run
        at = end


def _of_all(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if all options in words are in one language, and the question is in another."""
    question = _QUOTED.sub(" . ", facts.item.question)
    texts = [str(choice.text) for choice in facts.worded]
    if len(texts) < len(facts.item.choices) or _ABOUT_WORDS.search(question):
        return
    together = " ".join(texts)
    script, of_options = script_of_words(question), {main_script(text) for text in texts}
    try:
        language, other = language_of(question), language_of(together)
        if language is None or other is None or language == other:
            return
        if of_options == {script}:
            if len(together.split()) < _LEAST_WORDS or all(_NAME.fullmatch(text.strip()) for text in texts):
                return
            if odd_language(together, language) is None:
                return
        elif script in of_options or len(of_options) > 1 or not of_options <= _SCRIPTS or of_options == {"LATIN"}:
            return  # names of places and people keep their letters in any language
    except PrerequisiteError:
        return
    yield ItemFault(
        f"The options are in another language ({other}) than the question ({language}).",
        {"question": excerpt(question), "options": texts[:8], "languages": [language, other]},
    )


RULES = (
    FaultRule(
        "option_in_another_script",
        "options",
        "low",
        "one option is in a script or language other than that of the question and the other options (`颜色`, `ein "
        "Haus am See` or `Wadenbein` among English words, `Nein` next to `Yes`); medium if it is the right one",
        _of_one,
        ("options",),
    ),
    FaultRule(
        "question_in_two_languages",
        "options",
        "low",
        "two or more consecutive words of the question are in another language than the rest (`What is the girl "
        "wearing auf dem Kopf?`), or, in an English question, one frequent foreign word (`Wo steht the woman?`)",
        _in_question,
        certainty="possible",
    ),
    FaultRule(
        "options_in_another_language",
        "options",
        "low",
        "all options are in another language than the question, which does not ask for foreign words",
        _of_all,
        ("options",),
        certainty="possible",
    ),
)
