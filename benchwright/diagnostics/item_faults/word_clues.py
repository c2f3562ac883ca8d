"""Grammar that separates the right option from the others: an article before the blank, number, gender and tense.

This module checks English; `foreign_clues` checks five other languages. A rule reports an item if the words around a
blank, or those of the question, fit the right option and not the wrong ones, and if the options are phrases whose first
or last word shows their form.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

from benchwright.records import Choice

from ..sentence_gaps.gaps import Clue, fitting
from ..sentence_gaps.genders import opposite_genders
from ..wording.blanks import BLANK, with_blank
from ..wording.grammar import begins_with_vowel
from .fault_rules import FaultRule, ItemFacts, ItemFault, excerpt
from .foreign_clues import fitting_of_wanted

_ARTICLE_AND_BLANK = re.compile(rf"(?<![\w/('])(an?)\s*(?:{BLANK}|[:?.]?\s*$)", re.IGNORECASE)
_VERB_AND_BLANK = re.compile(
    rf"\b(is|are|was|were)\b\s*(?:(?:called|named|known as|these|those|this|that)\s+)?(?:{BLANK}|:?\s*$)", re.IGNORECASE
)
_SEVERAL_AND_BLANK = re.compile(
    rf"\b(several|many|both|two|three|four|five|six|these|those|some|(?:each|one|all) of the(?: \d+)?|"
    rf"a (?:number|pair|group|lot|couple|few) (?:of)?)(?:\s+{BLANK}|(?:\s+(?!of\b)[a-z-]+){{1,2}}\s+{BLANK}\W*$)",
    re.IGNORECASE,
)
_ONE_AND_BLANK = re.compile(
    rf"(?<!of )(?<!in )(?<!on )(?<!at )(?<!by )(?<!to )(?<!for )(?<!from )(?<!with )(?<!under )(?<!near )\b"
    rf"(?:(a single|only one|one|an?|another|each|every)(?:\s+(?!of\b)[a-z-]+){{0,2}}?\s+{BLANK}\W*$"
    rf"|(a single|only one|one|an?|another|each|every|this|that)\s+{BLANK}\s+"
    rf"(?:is|was|has|in|on|at|near|lives|[a-z]+s)\b)",
    re.IGNORECASE,
)
_ASKS_THINGS = re.compile(
    r"^\s*(?:what|which(?: \w+)?)\s+(?:(are|were)\s+(?:these|those|they|the (?:[\w-]+ ){0,2}[\w-]+s)"
    r"|(is|was)\s+(?:this|that|it))\b"
    r"(?:\s+\w+)?\s*\??\s*$",
    re.IGNORECASE,
)
_ASKS_AND_BLANK = re.compile(
    rf"^\s*(?:which|what)(?: of (?:these|those|them)|(?: \w+){{0,2}})? (are|were|is|was)\b[^?]*\?\s*(?:the|they|it)?"
    rf"\s*{BLANK}\s*\.?\s*$",
    re.IGNORECASE,
)
_VERB_AFTER_BLANK = re.compile(rf"\bthe\s+{BLANK}\s+(?:\w+ly\s+)?(are|were|is|was)\b", re.IGNORECASE)
_NOUN_AND_VERB = re.compile(
    r"^\s*(?:(?:which|what) (?P<noun>[a-z]+)|who)\s+(?P<verb>are|were|is|was)\b"
    r"(?! (?:the|this|that|it|you|we|they|he|she)\b)"
    r"(?=[^?]*\?\s*$)",
    re.IGNORECASE,
)
_FEWEST_TO_AGREE = 2
_NO_NUMBER = frozenset(["fruit", "fish", "furniture", "clothing", "food", "sheep"])
_ASKS_MATERIAL = re.compile(
    r"^\s*what (are|were) (?:the|these|those) .*\b(?:made|built) (?:of|from)\s*\?\s*$", re.IGNORECASE
)
_SUBJECT_BEFORE_BLANK = re.compile(
    rf"(?:^|[.!?,;:]\s+|\b(?:that|and|but|because)\s+)(?:(they|we|these|those|it|he|she|this|that)"
    rf"|(?:the|these|those|this|that|a|an)\s+(?:[a-z-]+\s+){{0,2}}?([a-z-]+))\s+{BLANK}",
    re.IGNORECASE,
)
_MANY_SUBJECTS = frozenset(["they", "we", "these", "those"])
_SINGULAR_VERBS = frozenset(["is", "was", "has", "does", "isn't", "wasn't", "hasn't", "doesn't"])
_PLURAL_VERBS = frozenset(["are", "were", "have", "do", "aren't", "weren't", "haven't", "don't"])
_IS_SENTENCE = re.compile(r"\b(?:is|are|was|were|has|have|had|does|do|can|will)\b", re.IGNORECASE)
_BEGINS_WITH_ARTICLE = re.compile(
    r"(?:an?|the|some|two|three|four|one|many|several|his|her|its|their)\b", re.IGNORECASE
)
_ONE = re.compile(r"(?:an?|one|this|that|another|each|every)\b", re.IGNORECASE)
_MANY = re.compile(
    r"(?:two|three|four|five|six|seven|eight|nine|ten|several|many|some|these|those|[2-9]|\d\d+)\b", re.I
)
_AFTER_THE_NOUN = re.compile(
    r"\b(?:of|in|on|with|at|from|by|to|for|near|behind|under|that|who|which)\b|,", re.IGNORECASE
)
_PLURALS = frozenset(
    [
        "men",
        "women",
        "children",
        "people",
        "feet",
        "teeth",
        "mice",
        "geese",
        "wolves",
        "leaves",
        "knives",
        "shelves",
        "oxen",
        "dice",
    ]
)
_NO_PLURAL = re.compile(r"(?:ss|us|is|ics|news|lens|gas|bus|glass|species|series|'s|’s)$", re.IGNORECASE)
_LONGEST_PHRASE = 5

_OF_SEVERAL = frozenset({"are", "were"})
_BEFORE_VERB = (
    (
        "bare",
        rf"\b(?:can|could|will|would|may|might|must|shall|should|(?:likes?|wants?|tries|has|have|had|going|about|"
        rf"needs?|begins?|hopes?|plans?|is|used) to|let|helps?)(?: (?:not|soon|now|probably|also|then|"
        rf"next|likely))*"
        rf"\s*{BLANK}",
    ),
    (
        "ing",
        rf"\b(?:is|are|was|were|been|keeps?|enjoys?|stops?|while)(?: (?:currently|now|just|still|busy|not|"
        rf"probably))*\s*"
        rf"{BLANK}",
    ),
    ("participle", rf"\b(?:has|have|had)(?: (?:just|already|now|never|not|recently))*\s*{BLANK}"),
)  # fmt: skip; phrase: allowed
_BLANK_AFTER_VERB = tuple((form, re.compile(pattern, re.IGNORECASE)) for form, pattern in _BEFORE_VERB)
"""Words before a blank with the form of the verb that can follow them."""
_PARTICIPLES = frozenset([
    "taken", "eaten", "drunk", "ridden", "written", "driven", "flown", "swum", "sung", "spoken", "broken", "thrown",
    "worn", "fallen", "given", "grown", "known", "drawn", "begun", "chosen", "forgotten", "hidden", "risen", "shaken",
    "stolen", "torn", "woken", "gone", "done", "seen", "lain", "hung",
])  # fmt: skip
_ALSO_BARE = frozenset(["read", "hit", "cut", "put", "come", "run", "become", "set", "shut", "let"])
_BARE = frozenset([
    "act", "add", "ask", "bake", "bark", "beat", "bite", "blow", "boil", "break", "bring", "brush", "build", "burn",
    "buy", "call", "carry", "catch", "chase", "chew", "climb", "close", "collect", "come", "cook", "count", "crawl",
    "cross", "cry", "cut", "dance", "dig", "dive", "draw", "drink", "drive", "drop", "eat", "enter", "fall", "feed",
    "fight", "fill", "find", "fix", "fly", "follow", "get", "give", "go", "grab", "hang", "have", "help", "hide",
    "hit", "hold", "hug", "hunt", "jump", "keep", "kick", "kiss", "knock", "laugh", "lay", "leave", "lie", "lift",
    "listen", "look", "make", "melt", "move", "open", "pack", "paint", "pass", "pay", "pick", "play", "point", "pour",
    "pull", "push", "put", "reach", "read", "rest", "ride", "ring", "rise", "roll", "run", "sail", "sell", "send",
    "shake", "shoot", "shout", "sing", "sink", "sit", "sleep", "slide", "slip", "smile", "smoke", "speak", "spill",
    "stand", "start", "steal", "stop", "swim", "swing", "take", "talk", "teach", "tear", "tell", "throw", "tie",
    "touch", "travel", "turn", "wait", "wake", "walk", "wash", "watch", "wave", "wear", "weep", "win", "wipe", "work",
    "write",
])  # fmt: skip
"""Verbs that describe the content of pictures, in their form after `can`."""

_NO_ING = frozenset([
    "thing", "nothing", "something", "anything", "everything", "king", "ring", "string", "spring", "wing", "bring",
    "sing", "during", "morning", "evening", "building", "ceiling", "painting", "drawing", "wedding", "clothing",
])  # fmt: skip
_IRREGULAR_PAST = frozenset([
    "ran", "went", "sat", "stood", "fell", "broke", "threw", "held", "wore", "ate", "drank", "took", "came", "made",
    "saw", "rode", "wrote", "drove", "flew", "swam", "sang", "spoke", "slept", "caught", "bought", "brought",
    "built", "kept", "left", "lost", "met", "paid", "read", "said", "sent", "shot", "told", "won", "hit", "cut",
    "put", "gave", "grew", "knew", "drew", "began", "chose", "forgot", "hid", "rose", "shook", "stole", "tore",
    "woke", "hung", "lay", "sank", "dug", "laid", "led", "lit", "blew", "bit", "rang", "shone", "slid", "struck",
    "swept",
    "swung", "taught", "thought", "wept", "wound", "stuck", "spent", "spilt",
])  # fmt: skip
_NO_PAST = frozenset(["red", "bed", "bread", "seed", "need", "feed", "speed", "shed", "hundred", "sled"])
_ASKS_ING = re.compile(r"\bwhat\s+(?:is|are|was|were|'s)\b.*\bdoing\b", re.IGNORECASE | re.DOTALL)
_ASKS_PAST = re.compile(
    r"\bwhat\s+did\b.*\bdo\b|\bwhat\s+(?:had\s+)?happened\b"
    r"|\b(?:yesterday|(?:last|the previous) (?:week|month|year|night)|ago)\b.*\b(?:did|was|were|had)\b",
    re.IGNORECASE | re.DOTALL,
)
_ASKS_FUTURE = re.compile(r"\bwhat\s+will\b|\bwhat\b.*\bgoing to (?:do|happen)\b", re.IGNORECASE | re.DOTALL)
_SUBJECT = re.compile(
    r"^(?:(?:he|she|it|they|we|i|the \w+|a \w+|an \w+)\s+)?(?:(?:is|are|was|were|had been|has been)\s+)?", re.I
)


def _article(facts: ItemFacts) -> Iterator[ItemFault]:
    match = _ARTICLE_AND_BLANK.search(with_blank(facts.item.question))
    texts = [(choice, (choice.text or "").strip()) for choice in facts.worded]
    if match is None or any(
        not text[:1].isalpha() or not text.isascii() or _BEGINS_WITH_ARTICLE.match(text) for _, text in texts
    ):
        return
    wants_vowel = match[1].casefold() == "an"
    fits = [choice for choice, text in texts if begins_with_vowel(re.split(r"\W", text)[0]) == wants_vowel]
    yield from _told(facts, fits, f"{match[1]!r} before the blank", some_tell=True)


def _gender(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _foreign(facts, "gender")
    texts = [choice.text or "" for choice in facts.worded]
    if (found := opposite_genders(facts.item.question, texts)) is not None:
        pronoun, places = found
        yield from _told(facts, [facts.worded[place] for place in places], f"{pronoun!r} in the question")


def _phrase(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _of_gap(facts, "words")


def _of_gap(facts: ItemFacts, clue: Clue) -> Iterator[ItemFault]:
    """Yield a fault if the words before a gap fit only the right option of three or more."""
    texts = [(choice.text or "").strip() for choice in facts.worded]
    found = fitting(with_blank(facts.item.question), tuple(texts)) if len(texts) > _FEWEST_TO_AGREE else None
    if found is not None and found[0].clue == clue:
        gap, places = found
        yield from _told(
            facts, [facts.worded[place] for place in places], f"the words before the blank ({gap.words!r})"
        )


def _foreign(facts: ItemFacts, clue: str) -> Iterator[ItemFault]:
    for rule, words, places in fitting_of_wanted(facts):
        if rule == clue:
            yield from _told(facts, [facts.worded[place] for place in places], f"{words!r} in the question")


def _number(facts: ItemFacts) -> Iterator[ItemFault]:
    yield from _foreign(facts, "number")
    yield from list(_english_number(facts)) or _of_gap(facts, "number")


def _english_number(facts: ItemFacts) -> Iterator[ItemFault]:
    question = with_blank(facts.item.question)
    if (subject := _SUBJECT_BEFORE_BLANK.search(question)) is not None:
        yield from _verb_of_subject(facts, subject)
    several = _SEVERAL_AND_BLANK.search(question)
    if several is None and (one := _ONE_AND_BLANK.search(question)) is not None:
        yield from _of_one_thing(facts, one[1] or one[2])
        return
    match = several or _VERB_AND_BLANK.search(question) or _ASKS_THINGS.search(question)
    match = match or _ASKS_AND_BLANK.search(question) or _made_of(facts) or _VERB_AFTER_BLANK.search(question)
    match = match or (_asked_noun(question) if len(facts.worded) > _FEWEST_TO_AGREE else None)
    if match is None:
        return
    verb = match.groupdict().get("verb") or match[1] or match[2]
    numbers = [(choice, _is_plural((choice.text or "").strip())) for choice in facts.worded]
    if all(number is not None for _, number in numbers):
        fits = [
            choice
            for choice, is_plural in numbers
            if is_plural == (several is not None or verb.casefold() in _OF_SEVERAL)
        ]
        yield from _told(facts, fits, f"{verb!r} in the question")


def _asked_noun(question: str) -> re.Match[str] | None:
    """Return the verb of a question for things of one kind, if it fits the noun: `Which vehicles are`, `Who are`."""
    match = _NOUN_AND_VERB.search(question)
    if match is None or match["noun"] is None:
        return match
    of_noun, is_plural = _is_plural(match["noun"]), match["verb"].casefold() in _OF_SEVERAL
    return match if of_noun == is_plural or match["noun"].casefold() in _NO_NUMBER else None


def _of_one_thing(facts: ItemFacts, determiner: str) -> Iterator[ItemFault]:
    """Yield a fault if `a single` or the like precedes the blank, and only the right option is one thing."""
    numbers = [(choice, _is_plural((choice.text or "").strip())) for choice in facts.worded]
    if all(number is not None for _, number in numbers):
        yield from _told(
            facts, [choice for choice, several in numbers if not several], f"{determiner!r} before the blank"
        )


def _made_of(facts: ItemFacts) -> re.Match[str] | None:
    """Return the words that ask what several things are made of, if each wrong option names a single thing.

    A material is not a single thing, so its bare noun is not a clue.
    """
    is_one = all(_ONE.match(text.strip()) for text in facts.wrong_texts)
    return _ASKS_MATERIAL.search(facts.item.question) if is_one else None


def _verb_of_subject(facts: ItemFacts, subject: re.Match[str]) -> Iterator[ItemFault]:
    """Yield a fault if options are verbs, and only the right one has the number of the subject before the blank."""
    word = (subject[1] or subject[2]).casefold()
    is_plural = word in _MANY_SUBJECTS or (subject[2] is not None and _is_plural(word))
    verbs = [(choice, _number_of_verb(choice.text or "")) for choice in facts.worded]
    if all(each is not None for _, each in verbs):
        fits = [choice for choice, each in verbs if each == is_plural]
        yield from _told(facts, fits, f"the subject {word!r}")


def _number_of_verb(text: str) -> bool | None:
    """Return whether an option begins with a plural verb; None if it begins with a verb of neither number."""
    words = text.casefold().strip(" .").split()
    first = words[0] if words else ""
    if first in _PLURAL_VERBS or (first in _BARE and len(words) <= _LONGEST_PHRASE):
        return True
    is_singular = first in _SINGULAR_VERBS or (
        first.endswith("s") and (first[:-1] in _BARE or first.removesuffix("es") in _BARE)
    )
    return False if is_singular else None


def _is_plural(phrase: str) -> bool | None:
    """Return whether a phrase names several things; None if it is not a phrase with a recognizable noun."""
    phrase = phrase.rstrip(".").strip()
    if not phrase or not phrase[0].isalpha() or not phrase.isascii() or _IS_SENTENCE.search(phrase):
        return None
    if _ONE.match(phrase):
        return False
    if _MANY.match(phrase) or re.search(r"\band\b", phrase, re.IGNORECASE):
        return True
    head = _AFTER_THE_NOUN.split(phrase)[0].split()
    if not head or len(head) > _LONGEST_PHRASE:
        return None
    noun = head[-1].casefold()
    return noun in _PLURALS or (noun.endswith("s") and len(noun) > 3 and _NO_PLURAL.search(noun) is None)


def _tense(facts: ItemFacts) -> Iterator[ItemFault]:
    for asks, form, what in _TENSES:
        if (match := asks.search(facts.item.question)) is not None:
            forms = [(choice, _verb_form(choice.text or "")) for choice in facts.worded]
            if any(each is not None for _, each in forms) and (form == "ing" or all(each for _, each in forms)):
                fits = [choice for choice, each in forms if each == form]
                yield from _told(facts, fits, f"{what} ({excerpt(match.group(), around=0)!r})")
                return
            yield from _of_gap(facts, "tense")
            return
    yield from _foreign(facts, "tense")
    yield from list(_form_after_blank(facts)) or _of_gap(facts, "tense")


def _form_after_blank(facts: ItemFacts) -> Iterator[ItemFault]:
    """Yield a fault if all options are verbs, and the words before the blank fit only the form of the right one."""
    question = with_blank(facts.item.question)
    matches = [(form, match) for form, pattern in _BLANK_AFTER_VERB if (match := pattern.search(question))]
    if not matches:
        return
    form, match = matches[0]
    forms = [(choice, _forms_of_verb(choice.text or "")) for choice in facts.worded]
    if re.search(r"\w", question[match.end() :].rstrip(".")) and form == "ing" and not all(each for _, each in forms):
        return  # `The one that is ___ the house is red`: a place may fill the blank
    if sum(bool(each & _MARKED_FORMS) for _, each in forms) >= len(forms) / 2:
        # Among verbs with endings, a word of another form is the bare verb: `flow` among `flowing` and `flowed`.
        forms = [(choice, each or frozenset({"bare"})) for choice, each in forms]
    if all(each for _, each in forms):
        fits = [choice for choice, each in forms if form in each]
        yield from _told(facts, fits, f"the words before the blank ({excerpt(match.group(), around=0)!r})")


def _forms_of_verb(phrase: str) -> frozenset[str]:
    """Return the possible forms of the verb at the beginning of a phrase; empty if it begins with no known verb."""
    words = phrase.casefold().strip(" .").split()
    first = words[0] if words else ""
    if not first.isascii() or not first.isalpha():
        return frozenset()
    forms = {
        "ing": first.endswith("ing") and len(first) > 4 and first not in _NO_ING,
        "bare": first in _BARE or first in _ALSO_BARE,
        "past": first in _IRREGULAR_PAST,
        "participle": first in _PARTICIPLES,
        "present": first.endswith("s")
        and (first[:-1] in _BARE or first.removesuffix("es") in _BARE or first.removesuffix("ies") + "y" in _BARE),
        "auxiliary": first in _AUXILIARIES and len(words) > 1,
    }
    if first.endswith("ed") and len(first) > 3 and first not in _NO_PAST:
        forms |= {"past": True, "participle": True}
    if first in _ALSO_PARTICIPLE:
        forms["participle"] = True
    return frozenset(form for form, has in forms.items() if has)


_AUXILIARIES = frozenset(["is", "are", "was", "were", "has", "have", "had", "will"])
_MARKED_FORMS = frozenset({"auxiliary", "ing", "past", "participle", "present"})
_ALSO_PARTICIPLE = _ALSO_BARE | (_IRREGULAR_PAST - frozenset([
    "ran", "fell", "broke", "threw", "wore", "ate", "drank", "took", "came", "saw", "rode", "wrote", "drove", "flew",
    "swam", "sang", "spoke", "gave", "grew", "knew", "drew", "began", "chose", "forgot", "hid", "rose", "shook",
    "stole", "tore", "woke", "lay", "sank", "blew", "bit", "rang",
]))  # fmt: skip
_AUXILIARY = re.compile(
    r"(?:(?:he|she|it|they|the \w+|an? \w+)\s+)?(is|are|was|were|has|have|had)\s+(?!going\b)(?:not\s+)?(?!\w+ing\b)\w+",
    re.IGNORECASE,
)
"""A subject with an auxiliary that cannot precede `-ing`: `the ball was red`."""
_OF_AUXILIARY = {"is": "present", "are": "present", "was": "past", "were": "past", "has": "perfect", "have": "perfect",
                 "had": "past"}  # fmt: skip
_PAST_BEFORE = re.compile(
    r"(?:^|[.,]\s+)(?:yesterday|in the past|last (?:week|month|year|night|summer|winter)|(?:\w+ ){1,2}ago|"
    r"once upon a time)\b"
    r"[^?]*$",
    re.IGNORECASE,
)
_FUTURE_BEFORE = re.compile(
    r"(?:^|[.,]\s+)(?:tomorrow|next (?:week|month|year)|in the (?:next|future))\b[^?]*$", re.IGNORECASE
)
_EVERY_DAY = re.compile(r"\bwhat (?:does|do)\b.*\b(?:every|each|usually|always|normally)\b", re.IGNORECASE)
_JUST_HAPPENED = re.compile(r"\bwhat (?:has|have) (?:just |already )?happened\b", re.IGNORECASE)
_TENSES = ((_PAST_BEFORE, "past", "a beginning in the past"), (_FUTURE_BEFORE, "future", "a beginning in the future"),
           (_EVERY_DAY, "present", "a question for a habit"),
           (_JUST_HAPPENED, "perfect", "a question for what has happened"),
           (_ASKS_ING, "ing", "a question for what goes on"), (_ASKS_PAST, "past", "a question in the past"),
           (_ASKS_FUTURE, "future", "a question about what will be"))  # fmt: skip


def _verb_form(text: str) -> str | None:
    """Return the form of a text's first verb: `ing`, `past`, `future`, `present` or `perfect`; None if there is no
    verb.
    """
    text = text.strip()
    if (auxiliary := _AUXILIARY.match(text)) is not None:
        return _OF_AUXILIARY[auxiliary[1].casefold()]
    if re.match(r"(?:(?:he|she|it|they|the \w+)\s+)?(?:will|'ll|is going to|are going to)\b", text, re.IGNORECASE):
        return "future"
    words = _SUBJECT.sub("", text, count=1).casefold().split()
    first = words[0].strip(".,") if words else ""
    if not first.isalpha() or not first.isascii():
        return None
    if first.endswith("ing") and len(first) > 4 and first not in _NO_ING:
        return "ing"
    if first in _IRREGULAR_PAST or (first.endswith("ed") and len(first) > 3 and first not in _NO_PAST):
        return "past"
    return "present" if first.endswith("s") and len(first) > 3 else None


def _told(facts: ItemFacts, fits: list[Choice], by: str, *, some_tell: bool = False) -> Iterator[ItemFault]:
    """Yield a fault if the right option is among the few that fit: the only one, or, if `some_tell`, one of some."""
    if facts.right not in fits or len(fits) == len(facts.worded) or len(facts.worded) < len(facts.item.choices):
        return
    if len(fits) == 1:
        yield ItemFault(
            f"Only the right option, {facts.right_text!r}, fits {by}.",
            {"question": excerpt(facts.item.question), "fits": [choice.key for choice in fits]},
        )
    elif some_tell:
        excluded = [choice.key for choice in facts.worded if choice not in fits]
        yield ItemFault(
            f"{', '.join(excluded)} cannot be right: {by} does not fit them, and fits the right option.",
            {"question": excerpt(facts.item.question), "fits": [choice.key for choice in fits]},
            "low",
        )


def _rule(kind: str, what: str, find: Callable[[ItemFacts], Iterator[ItemFault]]) -> FaultRule:
    return FaultRule(kind, "given_away", "medium", what, find, ("key", "options"))


RULES = (
    _rule(
        "article_tells_answer",
        "`a` or `an` before the blank or at the end of the question fits the right option alone; low where it "
        "excludes some",
        _article,
    ),
    _rule(
        "number_tells_answer",
        "`is`, `are`, `several` before the blank, or the subject before a missing verb, fits the number of the right "
        "option alone; in English, German, French, Spanish, Italian and Portuguese",
        _number,
    ),
    _rule(
        "gender_tells_answer",
        "the article before the blank fits the gender of the right option alone (`Das Bild zeigt eine ___`), in "
        "German, French, Spanish, Italian and Portuguese, by lists of frequent nouns and by endings; or in English a "
        "pronoun does (`Who has lost her shoe?`)",
        _gender,
    ),
    _rule(
        "tense_tells_answer",
        "only the right option has the tense of the question, or the form of a verb that the words before a blank ask "
        "for (`can ___`, `is ___`, `hat gerade ___`), in the same six languages",
        _tense,
    ),
    _rule(
        "phrase_tells_answer",
        "only the right option can stand where the question breaks off: the words before ask for a noun, a preposition "
        "or a verb that no other option is (`depends ___` takes `on …`); in English",
        _phrase,
    ),
)
