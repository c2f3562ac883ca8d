"""Patterns for a reply's stance toward an option that it names, built from its language's phrases (`polarity_rows`).

The module also contains the patterns common to all languages: verdict signs, words of retraction, and the words that
identify a language.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

from .polarity_rows import NEVER, SPACED, UNSPACED, PolarityWords

RIGHT_SIGNS, WRONG_SIGNS = "✓✔✅☑🟢👍○◯⭕⭐", "✗✘❌✖×✕🔴👎🚫❎"
"""Verdict signs; among ticked boxes, only a tick decides."""

LEFT_OPEN = re.compile(
    r"(?:can(?:'t|not|\s+not)|could\s*(?:n't|\s+not)|not)\s+(?:yet\s+)?(?:be\s+)?(?:entirely\s+|fully\s+|completely\s+)?(?:exclude|rule\s+out|ruled\s+out|eliminate|dismiss)"
    r"|no\s+(?:se\s+)?pued\w+\s+(?:ser\s+)?descart|não\s+(?:se\s+)?pod\w+\s+(?:ser\s+)?descart|peut\s+pas\s+(?:être\s+)?(?:exclu|écart)|"
    r"nicht\s+(?:ausgeschlossen|auszuschließen|ausschließen)|нельзя\s+исключ|не\s+исключен|不能排除|无法排除|無法排除|排除でき(?:ない|ません)|除外でき(?:ない|ません)|배제할\s*수\s*없|"
    r"لا\s+يمكن\s+استبعاد|इनकार\s+नहीं",
    re.I,
)
"""Words that keep another option open besides the named one."""

UNDECIDED = re.compile(
    r"\b(?:leaves?|keeps?|is\s+left)\s+(?:it|this|that|the\s+\w+)?\s*open\b|\bopen\s+to\s+interpretation|\bequally\s+(?:possible|plausible|valid|likely)\b|"
    r"\b(?:both|either|two)\s+(?:of\s+(?:these|the|them)\s+)?(?:interpretations?|readings?|answers?|options?|explanations?|ways?|"
    r"meanings?)\b[^.]{0,30}\b(?:are|is|seem|could|can|may|would|equally|possible|plausible|valid)\b|"
    r"\b(?:ambas|las\s+dos|as\s+duas)\s+(?:interpretaci\w+|lecturas|leituras|interpretaç\w+|opciones|opções)|"
    r"\bles\s+deux\s+(?:interprétations|lectures|réponses|options)\b[^.]{0,30}\b(?:sont|semblent)|"
    r"\bbeide\s+(?:deutungen|lesarten|antworten|interpretationen|möglichkeiten)\b[^.]{0,30}\b(?:sind|möglich|plausibel)|"
    r"\bentrambe\s+(?:le\s+)?(?:interpretazioni|letture)|\bоб[ае]\s+(?:толкования|варианта|трактовки|ответа)|"
    r"كلا\s+(?:التفسيرين|الخيارين|المعنيين)|两(?:种|個|个)(?:解释|解读|理解|答案|可能)(?:性)?都|どちらの(?:解釈|答え|可能性)も|두\s*(?:가지\s*)?해석",
    re.I,
)
"""Words at the end of a reply that cannot decide between two options."""

TAKEN_BACK = re.compile(
    r"(?:\.{3}\s*no[,.]|(?<![^\W\d_])(?:wait|hmm+|hold\s+on|on\s+second\s+thoughts?|on\s+reflection|looking\s+(?:again|closer|more\s+closely)|look\s+again|actually|edit|correction|i\s+mis(?:read|counted|took)|"
    r"(?:that|this|it)\s+(?:was|is)\s+(?:a\s+|my\s+)?(?:mistake|wrong|incorrect|error)|my\s+mistake|scratch\s+that|sorry|i\s+meant|no\s+wait|"
    r"(?:re-?)(?:check|examin|consider|read|count|evaluat)\w*|let\s+me\s+(?:double|re)|on\s+(?:closer|second)\s+(?:look|inspection)|but\s+i\s+now|i\s+(?:was|made)\s+(?:wrong|a\s+mistake)|"
    r"espera|perdón|me\s+equivoqué|corrección|mejor\s+dicho|espere|desculpe|correção|me\s+enganei|aliás|attendez|attends|pardon|correction|je\s+me\s+suis\s+trompée?|"
    r"moment(?:\s+mal)?|korrektur|warte|entschuldigung|halt|ich\s+habe\s+mich|погод\w+|стоп|исправ\w+|ошиб\w+|хотя\s+нет|нет\s*,|वास्तव\s+में|रुकिए|माफ़?\s*कीजिए|नहीं\s*,|عفوا|عفوًا|انتظر|تصحيح|لحظة|بل\s)(?![^\W\d_])"
    r"|等等|等一下|不对|不對|更正|纠正|重新|抱歉|待って|訂正|いや,|間違え|잠깐|아니[,.]|정정|다시\s*보니)",
    re.I,
)
"""Words with which a reply retracts a statement."""

WITHDRAWN = re.compile(
    r"\b(?:(?:i|my\s+(?:first\s+)?\w+|(?:that|this|it))\s+(?:was|is)\s+(?:wrong|mistaken|incorrect|a\s+mistake)|"
    r"the\s+other\s+one|mistake|me\s+equivoqué|je\s+me\s+suis\s+trompée?|ich\s+habe\s+mich\s+geirrt|ошиб\w+)\b|"
    r"不对|错了|間違|아니라",
    re.I,
)
"""Words that cancel all earlier statements."""

TOTAL = re.compile(
    r"\s*(?:[^\W\d_]+\s+){0,3}?(?:in\s+(?:total|all)|altogether|overall|combined|en\s+total|au\s+total|insgesamt|no\s+total|всего)\b",
    re.I,
)
"""Text after a number that is the sum of the others."""

ADVERBS = (
    r"(?:(?:the|an?|very|quintessential(?:ly)?|classic(?:ally)?|textbook|typical(?:ly)?|unmistakabl[ey]|characteristic(?:ally)?|"
    r"obvious(?:ly)?|evidently|certainly|undoubtedly|pure(?:ly)?|distinctly|essentially|quite|clearly|most|more|likely|probably|of|made|still|to|be|in|now|definitely|indeed|simply|actually|really|rather|"
    r"that|one|donc|quindi|portanto|also|daher|somit|folglich|punto|ponto|punkt|box|tile|piece|letter|at|on|during|about|around|just|exactly|only|mainly|mostly|then|therefore|thus|most\s+likely|by|out|located|situated|positioned|taken|called|number|it|as|best|described|option|choice|image|picture|point|es|"
    r"candidate|un|una|uno|el|la|los|las|de|muy|más|une?|le|les|très|plus|der|die|das|ein|eine|einen|einem|dem|den|sehr|o|a|os|as|um|uma|muito|mais|"
    r"im|am|nel|nella|dans|en|na|um|l'|d'|des|du|на|в|очень|скорее|opción|opção|bild|imagen|imagem|l'image|изображение|вариант|الخيار|की|का|है|于|的|[一这那][个只個隻张張辆輛把条條位台部种名座本件])[\s'\"(\[]*)*"
)
"""Words that may come between a copula and the words that it introduces."""


_COMMON = {
    "en": """
the is are of and it in that this with to was which not has for an you but by they those it's both be on
i would from at are out only no
""",
    "es": """
el la los las es en que con por una del su está son para como lo sino pero un y de se al más imagen opción
respuesta
""",
    "pt": """
os é em que com por uma um do da não está são para como na mais mas opção opções imagem resta logo portanto
pois fica das dos de o e se mais quem
""",
    "fr": """
le la les est en que et avec par une un du des dans ne pas qui c'est sur il ce au d'un n'est l'image
de se à si était c'était serait montre donc cette que plus elle
""",
    "it": """
il lo la gli i le è di che e in un una del della dei nel con per sono non si al dalla come più anche ma quindi
""",
    "nl": """
de het een is van en in op met dat niet zijn te er aan voor dus maar ook
""",
    "pl": """
jest w na i to nie z się do jak są że o po dla przez od ale więc
""",
    "tr": """
bir ve bu de da ile için en daha olarak çok nokta ise var
""",
    "vi": """
là của và có trong một các không được cho với này đó vào những
""",
    "id": """
yang dan di ini itu dengan dari pada untuk adalah tidak gambar juga jadi sebuah
""",
    "de": """
der die das ist und mit ein eine nicht den dem auf im es zu sind auch von bild kein er sie bei am jedoch also
sich es nur
""",
}
"""Words that distinguish languages written in Latin script."""
_COMMON_WORDS = {code: frozenset(words.split()) for code, words in _COMMON.items()}
_OWN_LETTERS = {
    "es": "ñ¿¡",
    "pt": "ãõ",
    "fr": "êœùç",
    "de": "ßäöü",
    "pl": "łęąśżź",
    "tr": "ışğ",
    "vi": "ạảấầậắằểệọốộớợụưđ",
}
_SCRIPTS = (
    ("ko", re.compile("[\uac00-\ud7af]")), ("ja", re.compile("[\u3040-\u30ff]")), ("zh", re.compile("[\u4e00-\u9fff]")),
    ("hi", re.compile("[\u0900-\u097f]")), ("ar", re.compile("[\u0600-\u06ff]")), ("ru", re.compile("[\u0400-\u04ff]")),
)  # fmt: skip
_LATIN_TOKEN = re.compile(r"[A-Za-zÀ-ɏ]+(?:'[a-z]+)?")


@dataclass(frozen=True)
class Grammar:
    """The patterns of one language, named like the fields of its row."""

    language: str
    turns: dict[str, re.Pattern[str]]

    def __getitem__(self, field: str) -> re.Pattern[str]:
        return self.turns[field]


def grammar_of(text: str) -> Grammar:
    """Return the patterns of a text's language, or those of English if the language is unknown."""
    return _grammar(_language_of(text[-4000:]))


def _language_of(text: str) -> str:
    tokens = [token.lower() for token in _LATIN_TOKEN.findall(text)]
    letters = sum(map(len, tokens))
    if not text.isascii():
        for code, script in _SCRIPTS:
            if len(script.findall(text)) * 2 > letters:
                return code
    counts = {code: sum(token in words for token in tokens) for code, words in _COMMON_WORDS.items()}
    if not text.isascii():
        for code, letters_of_its_own in _OWN_LETTERS.items():
            counts[code] += 2 * any(letter in text for letter in letters_of_its_own)
    return max(counts, key=lambda code: (counts[code], code == "en"))


@cache
def _grammar(code: str) -> Grammar:
    turns = SPACED.get(code) or UNSPACED[code]
    start, end = (r"(?<![^\W\d_])", r"(?![^\W\d_])") if code in SPACED else ("", "")
    patterns: dict[str, str] = {field: f"(?:{getattr(turns, field)})" for field in PolarityWords._fields}
    if code in SPACED:
        negation = patterns["put_aside"].replace("n't|", "")
        patterns["put_aside"] = f"(?:{negation}|(?<=[a-z])n't)" if code == "en" else negation
    bounded = {field: f"(?:{start}{pattern}{end})" for field, pattern in patterns.items()}
    if code == "en":
        bounded["put_aside"] = rf"(?:{start}{patterns['put_aside']}{end}|n't{end})"
        bounded["names"] = rf"(?:{start}{patterns['names']}|'s|=){end}"
    if code == "ar":  # its short words attach to the next one
        bounded["leaves"] = rf"(?:{start}{patterns['leaves']})"
    bounded["negates"] = f"{bounded['put_aside']}|{bounded['may']}|{_TURNS.get(code, NEVER)}"
    bounded["turns"] = f"{bounded['negates']}|{bounded['but']}"
    bounded["so"] = rf"(?:\A\s*|[,.:;]\s*|\s-\s|(?<![^\W\d_])(?:and|und|y|et|e|и|و)\s+){bounded['so']}"
    if code in _SO_WITHIN:
        bounded["so"] += rf"|(?<=\s)(?:{_SO_WITHIN[code]})\b"
    bounded["so"] = f"(?:{bounded['so']})"
    bounded["so_it_is"] = bounded["so"] + rf"[\s,:]*(?:{patterns['names']})?[\s'\"(\[]*{ADVERBS}\Z"
    bounded["put_aside"] += r"[^.,;:\n]{0,26}\Z"
    bounded["beside"] += rf"{_GAP}\Z"
    bounded["at_first"] += r"[^.;\n]{0,60}\Z"
    bounded["may"] += r"[^.;:\n]{0,50}\Z"
    bounded["leaves_it"] = bounded["leaves"] + r"[^.;\n]{0,24}\Z"
    bounded["names"] += rf"[\s'\"(\[]*{ADVERBS}\Z"
    return Grammar(code, {field: re.compile(_composed(pattern), re.I) for field, pattern in bounded.items()})


_SO_WITHIN = {
    "en": "therefore", "es": r"por\s+(?:lo\s+)?tanto|entonces", "pt": "portanto", "fr": "donc", "it": "quindi|dunque",
    "de": "also|daher|somit|demnach", "ru": "следовательно|значит", "ar": "إذن",
}  # fmt: skip
"""Words within a sentence that mark a conclusion."""
_TURNS = {
    "en": r"\b(?:would|could|should|too|less)\b",
    "es": r"\bdemasiad\w+",
    "pt": r"\bdemais\b",
    "it": r"\btroppo\b",
    "de": r"\bzu\s+(?!\w+(?:en|eln|ern)\b)\w+\W*\Z",
    "ja": "ない|なく|ません|ずに|が、",
    "ko": "않|아니|아닌|없|지만",
    "hi": "नहीं",
    "fr": r"\b(?:sinon|trop)\b|\bn'",
    "ru": r"\bнет\b|вместо|слишком",
}
"""Words that may reverse a sentence's stance toward an option, besides those that reject it."""


_GAP = r"\s*(?:(?!(?:is|are|was|were|ist|sind|es|son|est|sont|é|são|это)\b)[^\W\d_]+\s+){0,3}['\"(\[]*"


def _composed(pattern: str) -> str:
    """Return a pattern in Unicode's NFKC form, the form of the replies to match."""
    return unicodedata.normalize("NFKC", pattern)
