"""Patterns for answers in languages other than English, built from data with one row per language.

A label or an option's words must follow a cue directly ("La respuesta es la B"); a noun alone is not evidence.

The rows are followed by the phrases that introduce an answer. Add further languages and phrases here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from .reply_text import WORD


class _AnswerPhrases(NamedTuple):
    """Phrases of a language that separates words with spaces; each field is a pattern of alternatives.

    Args:
        answer: Nouns for an answer.
        option: Nouns for an option.
        right: Words for the right option.
        be: Copulas between the noun and the label; optional in a reply.
        choose: Verb forms for "I choose".
        article: Articles that may precede the label or the noun for an option.
    """

    answer: str
    option: str
    right: str
    be: str
    choose: str
    article: str = "(?!)"


_SPACED = {
    "es": _AnswerPhrases(
        "respuesta|solución|solucion|resultado",
        "opción|opcion|alternativa|letra", "correcta|correcto|adecuada|adecuado|final",
        "es|sería|seria|será", "elijo|escojo|selecciono|elegiría|me quedo con|me inclino por", "la|el",
    ),
    "fr": _AnswerPhrases(
        "réponse|reponse|solution|résultat|resultat", "option|lettre|proposition|choix",
        "bonne|bon|correcte|correct|juste|exacte|finale|appropriée", "est|serait|sera",
        "je choisis|je sélectionne|je dirais|j'opte pour|je choisirais|je prends", "la|le|l'",
    ),
    "de": _AnswerPhrases(
        "antwort|lösung|loesung|auswahl|ergebnis|ergebniss|resultat", "option|buchstabe|möglichkeit|antwort",
        "richtige|richtig|korrekte|korrekt|beste|endgültige|passende", "ist|wäre|lautet|heißt",
        "ich wähle|ich nehme|ich entscheide mich für|ich würde sagen|ich tippe auf|ich würde", "die|der|das",
    ),
    "pt": _AnswerPhrases(
        "resposta|solução|solucao|resultado",
        "opção|opcao|alternativa|letra", "correta|correto|certa|certo|final|adequada",
        "é|e|seria|será", "escolho|seleciono|eu escolheria|fico com|opto pela|opto por", "a|o",
    ),
    "it": _AnswerPhrases(
        "risposta|soluzione|risultato", "opzione|alternativa|lettera", "corretta|corretto|giusta|giusto|esatta|finale",
        "è|é|sarebbe|sarà", "scelgo|seleziono|sceglierei|direi|opto per", "la|il|l'",
    ),
    "nl": _AnswerPhrases(
        "antwoord|oplossing|resultaat|uitkomst",
        "optie|keuze|letter", "juiste|juist|correcte|correct|goede|beste", "is|zou",
        "ik kies|ik ga voor|ik neem", "de|het",
    ),
    "pl": _AnswerPhrases(
        "odpowiedź|odpowiedz|odpowiedzią|odpowiedzia", "opcja|opcję|litera|wariant",
        "prawidłowa|poprawna|właściwa|prawidłową|poprawną|ostateczna", "to|jest|brzmi",
        "wybieram|wybrałbym|wybrałabym|stawiam na",
    ),
    "cs": _AnswerPhrases(
        "odpověď|odpoveď|odpovědí", "možnost|volba|písmeno", "správná|správnou|konečná|správna", "je|zní",
        "vybírám|volím|zvolím",
    ),
    "ru": _AnswerPhrases(
        "ответ|ответом|решение|результат|итог", "вариант|вариантом|опция|буква",
        "правильный|верный|правильным|верным|окончательный|итоговый|правильная", "это|является|будет|-",
        "я выбираю|выбираю|я бы выбрал|я бы выбрала",
    ),
    "uk": _AnswerPhrases(
        "відповідь|відповіддю", "варіант|варіантом|літера", "правильна|правильний|вірна|остаточна|правильною",
        "це|є|буде|-", "я обираю|обираю|вибираю",
    ),
    "tr": _AnswerPhrases(
        "cevap|cevabı|cevabım|yanıt|yanıtı|yanıtım", "seçenek|şık|şıkkı", "doğru|son|kesin", "şudur|olarak|ise",
        "seçiyorum|seçerim",
    ),
    "vi": _AnswerPhrases(
        "đáp án|câu trả lời|trả lời", "phương án|lựa chọn|đáp án", "đúng|chính xác|đúng nhất|cuối cùng", "là",
        "tôi chọn|chọn",
    ),
    "id": _AnswerPhrases(
        "jawaban|jawabannya|jawapan", "opsi|pilihan|huruf", "yang benar|yang tepat|benar|akhir|yang betul",
        "adalah|ialah|yaitu", "saya memilih|saya pilih|pilih",
    ),
    "sv": _AnswerPhrases(
        "svar|svaret", "alternativ|alternativet", "rätt|rätta|korrekta|korrekt|slutliga|riktig|riktige", "är|er",
        "jag väljer|jeg velger|jeg vælger",
    ),
    "fi": _AnswerPhrases("vastaus", "vaihtoehto", "oikea|lopullinen", "on", "valitsen"),
    "hu": _AnswerPhrases("válasz|megoldás", "lehetőség|opció", "helyes|végső", "a", "választom"),
    "ro": _AnswerPhrases("răspunsul|răspuns|"
                         "raspunsul", "varianta|opțiunea", "corect|corectă|final", "este|e", "aleg"),
    "el": _AnswerPhrases(
        "απάντηση|η απάντηση", "επιλογή|γράμμα", "σωστή|σωστό|ορθή|τελική", "είναι|το|η", "επιλέγω|διαλέγω", "η|το",
    ),
    "he": _AnswerPhrases(
        "תשובה|התשובה", "אפשרות|האפשרות", "נכונה|הנכונה|הסופית|סופית", "היא|הוא", "אני בוחר|אני בוחרת|בחרתי ב",
    ),
    "ar": _AnswerPhrases(
        "الإجابة|الاجابة|الجواب|إجابتي|الحل|إجابة", "الخيار|خيار|الحرف|الاختيار",
        "الصحيحة|الصحيح|النهائية|النهائي|الأصح", "هي|هو", "أختار|اخترت|سأختار",
    ),
    "fa": _AnswerPhrases(
        "پاسخ|جواب", "گزینه|گزینهٔ|گزینه‌ی|گزینهی", "درست|صحیح|نهایی", "عبارت است از",
        "انتخاب می‌کنم|من انتخاب می‌کنم",
    ),
    "hi": _AnswerPhrases("उत्तर|जवाब", "विकल्प", "सही|अंतिम|सटीक", "है", "मैं चुनता हूँ|मैं चुनती हूँ"),
    "bn": _AnswerPhrases("উত্তর|জবাব", "বিকল্প|অপশন", "সঠিক|চূড়ান্ত", "হল|হলো|হচ্ছে", "আমি বেছে নিচ্ছি"),
}  # fmt: skip
"""Languages that put spaces between words, by code."""

_UNSPACED = (
    # Chinese
    r"(?:答案|最终选择|最終選擇)(?:应该|應該|应|應)?(?:选择|選擇|选|選|是|为|為)?(?:选项|選項)?[】\]]?\s*:?",
    r"(?:选择|選擇|应选|應選|故选|故選|选|選)(?:项|項)?(?:是|为|為)?(?:选项|選項)?\s*:?",
    r"(?:正确|正確)(?:的)?(?:选项|選項|答案)(?:应该|應該)?(?:是|为|為)\s*:?",
    # Japanese
    r"(?:答え|正解|回答|解答|正しい選択肢|正しいもの)[】\]]?(?:は)?(?:選択肢)?\s*:?",
    # Korean
    r"(?:정답|답변|답|정답지)(?:은|는)?(?:\s*선택지)?\s*:?",
    # Thai
    r"(?:คำตอบ|ข้อ)(?:ที่ถูกต้อง|ที่ถูก|สุดท้าย)?(?:คือ|เป็น)?(?:ข้อ|ตัวเลือก)?\s*:?",
    r"(?:ฉัน|ผม|ดิฉัน)?เลือก(?:ข้อ|ตัวเลือก)?\s*:?",
)
"""Cues for languages without spaces between words, and for Korean, whose particles attach to words."""

_UNSPACED_NOUNS = "答案|最终选择|最終選擇|选|選|答え|正解|回答|解答|正しい|答|정답|답|คำตอบ|ข้อ|เลือก"

_NEGATIONS = "(?:pas|nicht|no|non|não|niet|inte|ikke|nie|nem|nu|не|ei)"

_DENIED_WORDS_AFTER = (
    r"\s*(?:(?:是)?(?:不对|不對|不正确|不正確|不符|错误|錯誤|错的|排除)|(?:は|が|では|じゃ)?(?:間違|誤り|違い|"
    r"ではな|ありません|不正解)"
    r"|(?:은|는|이|가)?\s*(?:아니|아닙|틀렸|틀린|오답)|(?:ist|est|es|é|è|is|jest|är)\s+(?:nicht|pas|no|falsch|"
    r"fausse?|incorrect[ao]?|errad[ao]|sbagliat[ao]|fout|niet|fel)\b"
    r"|(?:n'est\s+pas|no\s+es|não\s+é|non\s+è|не\s|неверн|неправильн|yanlış|değil|salah|sai\b|bukan|नहीं|নয়|"
    r"নেই|نیست|गलत|ভুল|نادرست|غلط|خطأ|خاطئ))"
)
"""Text after a label or words that the reply rejects."""

JOINING = (
    r"oder|ou|et|und|y|o|e|u|of|en|lub|albo|i|или|и|або|чи|veya|ya\s+da|hoặc|atau|eller|och|ή|και|או|یا|या|বা|"
    r"অথবা|أو|و"
    r"|또는|혹은|이나|หรือ|和|或者|或|与|與|と|か|または"
)
"""Words that join two labels."""


def cues_in(text: str) -> Iterator[re.Pattern[str]]:
    """Yield the cues of the languages that a text may be in, judged by its words; the answer follows a match.

    Searching every text for all cues of all languages would take several times as long as the rest of the reading.
    """
    words = frozenset(_TOKEN.findall(text.lower()))
    for code, turns in _SPACED.items():
        sure, option, right = _telling(code)
        if not sure.isdisjoint(words) or not (option.isdisjoint(words) or right.isdisjoint(words)):
            yield _pattern(turns)
    if _UNSPACED_NOUN.search(text):
        yield _UNSPACED_CUES


@cache
def _telling(code: str) -> tuple[frozenset[str], frozenset[str], frozenset[str]]:
    """Return the words for answer, option and right, of which at least one occurs in every text with an answer."""
    turns = _SPACED[code]
    return _longest(f"{turns.answer}|{turns.choose}"), _longest(turns.option), _longest(turns.right)


def _longest(alternatives: str) -> frozenset[str]:
    return frozenset(max(_TOKEN.findall(_composed(alternative)), key=len) for alternative in alternatives.split("|"))


@cache
def _pattern(turns: _AnswerPhrases) -> re.Pattern[str]:
    return re.compile(_composed("|".join(_cues(turns))), re.I)


def _composed(pattern: str) -> str:
    """Return a pattern in Unicode's NFKC form, the form of the replies to match."""
    return unicodedata.normalize("NFKC", pattern)


def _cues(turns: _AnswerPhrases) -> list[str]:
    article = rf"(?:(?:{turns.article})(?:\s+|(?<=')))?"
    option = rf"(?:(?:{turns.option})(?![^\W\d_])\s*)?"
    start, end = r"(?<![^\W\d_])", r"(?![^\W\d_])"
    adverb = rf"(?:(?!{_NEGATIONS}{end})[^\W\d_]{{2,14}}\s+)?"
    be = rf"\s*(?:(?:{turns.be}){end}\s*{adverb})?[:=>→-]*\s*{article}{option}:?"
    right = rf"(?:{turns.right}){end}"
    return [
        rf"{start}(?:{right}\s+)?(?:{turns.answer}){end}(?:\s+{right})*{be}",
        rf"{start}(?:{right}\s+(?:{turns.option}){end}|(?:{turns.option})\s+{right}){be}",
        rf"{start}(?:{turns.choose}){end}\s*{article}{option}:?",
        rf"{start}{right}(?:\s+(?:{turns.be}){end}\s*{adverb}|\s*:\s*){article}{option}:?",
    ]


_TOKEN = re.compile(rf"{WORD}+")
_UNSPACED_NOUN = re.compile(_composed(_UNSPACED_NOUNS))
_UNSPACED_CUES = re.compile(_composed("|".join(_UNSPACED)), re.I)


_BEFORE, _AFTER = r"(?<![A-Za-z])", r"(?![A-Za-z])"
_IT_IS = r"(?:it|this|that)(?:'s|\s+(?:is|must\s+be|has\s+to\s+be|should\s+be|would\s+be))"

FIRM = re.compile(
    "|".join(
        [
            # "the answer is", "Final choice:", "my guess would be", "answer -> "
            rf"{_BEFORE}(?:answer|answers(?=\s+(?:are|were)\b)|ans\.?|choice|option|selection|guess|conclusion|verdict|prediction|response|"
            r"(?:correct|right|best|matching|missing|chosen|corresponding|closest)\s+(?:one|letter|image|"
            r"picture|tile|point|patch|candidate))"
            rf"(?:(?:\s+[a-z]{{2,12}}){{0,6}}?\s+(?:is|are|was|(?:would|should|must|has\s+to|will|can\s+only)\s+(?:\w+\s+)?be|"
            rf"remains){_AFTER}\s*:?|"
            r"\s*(?:->|=>|→|:|=|-)|(?<=\.))",
            # "I choose", "we would go with", "I'd say", "I think it's"
            rf"{_BEFORE}(?:i|we|you|one)(?:'d|'ll|'m|'re)?"
            r"(?:\s+(?:rather|still|probably|definitely|then|actually|will|would|must|should|am|are|have\s+to|going\s+to|therefore|thus|finally|now))*\s+"
            r"(?:choose|pick|select|chose|picked|selected|lean(?:ing)?\s+towards?|opt\s+for|go\s+(?:with|for)|going\s+with|went\s+with|vote\s+for|"
            r"say|guess|"
            rf"answer|settle\s+on|(?:think|believe|conclude)\s+(?:that\s+)?(?:it(?:'s|\s+is))?){_AFTER}",
            rf"{_BEFORE}(?:i|we)\s+might\s+(?:choose|pick|select|go\s+with|lean\s+towards?){_AFTER}",
            # "I change my answer to", "we are left with"
            rf"{_BEFORE}(?:change|switch|revise|correct|update)\s+(?:my|the)\s+(?:final\s+)?(?:answer|"
            rf"choice|selection)\s+to{_AFTER}",
            r"(?:let\s+me|i'll|i\s+(?:will|should|must|need\s+to|have\s+to))\s+correct\s+(?:that|this|myself|"
            r"my\s+(?:answer|choice))(?:\s+to)?\s*[:,-]?",
            rf"{_BEFORE}(?:left\s+with|narrows?\s+(?:it|this)\s+down\s+to){_AFTER}",
        ]
    ),
    re.I,
)
"""Cues after which the text is the answer, even if it is a list or not an option."""

SOFT = re.compile(
    "|".join(
        [
            rf"(?:^|(?<=[.!?;,:\n]))\s*(?:so|therefore|thus|hence|in\s+conclusion|"
            rf"in\s+short){_AFTER}[\s,:]*(?:{_IT_IS})?",
            rf"{_BEFORE}(?:wait|actually|correction|scratch\s+that|on\s+second\s+thoughts?|i\s+mean(?:t)?|no|"
            rf"rather|instead)"
            rf"{_AFTER}[ \t,.:;!-]*(?:no{_AFTER}[\s,.]+(?=\w))?(?:{_IT_IS}|make\s+(?:that|it))?",
            rf"(?:^|\n)\s*(?:choose|pick|select|selected|correct|output|definitely|certainly|sure|okay|ok|"
            rf"yes){_AFTER}\s*[:.,!]?",
            rf"(?:^|(?<=[.;\n]))\s*(?:plausible|accepted|kept|fits|match(?:es)?|valid){_AFTER}\s*:",
            rf"(?:^|\n)\s*(?:return|print){_AFTER}[\s(]*(?=[\"'])",
            rf"{_BEFORE}(?:leaving|(?:that|this|which|it)\s+leaves){_AFTER}(?:\s+(?:us\s+with|only|just))*",
            rf"{_BEFORE}(?:probably|most\s+likely|looks\s+like|{_IT_IS}){_AFTER}",
        ]
    ),
    re.I,
)
"""Cues after which the text is the answer only if it is a letter and little else."""

CONDITION = re.compile(
    r"(?:\b(?:if|whether|suppose|supposing|assume|assuming|unless|otherwise|maybe|perhaps|possibly|could|might|"
    r"may)\b[^.!?,;\n]{0,40}"
    r"|\b(?:another|other|alternative|common|tempting|naive|wrong|incorrect|typical|popular|obvious|easy)\s+(?:[a-z]+\s+)?|\bif\b[^.!?\n]{0,160},\s*then\s+(?:[a-z]+\s+)?"
    r"|(?:排除|无关|错误|其他|其余|各个?|这些|逐一|剩余)[^,.]{0,6}|\bnot\s+(?:the\s+)?(?:(?:correct|right|best)\s+)?"
    r"|(?:(?:n't|\b(?:not|never))\s+(?:\w+\s+)?(?:think|believe|say|see|feel)|\bdoubt)\b[^.!?,;\n]{0,40})\Z",
    re.I,
)
"""Text directly before a phrase that makes the phrase invalid."""

DENIED_AFTER = re.compile(
    r"\A[)\]\"'.,:;]*\s*(?:,?\s*which\s+|(?:but\s+)?that(?:'s|\s+is|\s+was)\s+)?(?:(?:is|are|was|looks?|seems?|"
    r"can|could|must)\s+)?"
    r"(?:(?:\w+ly|also|still)\s+)?(?:as\s+)?"
    r"(?:be\s+)?(?:not\b|n't|cannot\b|can't\b|isn't\b|doesn't\b|does\s+not\b|won't\b|wrong\b|incorrect\b|"
    r"false\b|ruled\s+out\b|"
    r"eliminated\b|excluded\b|out\b|fails?\b|mismatch|less\b|unlikely\b|(?:a\s+)?possib(?:le|ility)\b|irrelevant\b)"
    rf"|\A[)\]\"'.,:]*(?:{_DENIED_WORDS_AFTER})",
    re.I,
)
"""Cues after which an option is rejected."""
