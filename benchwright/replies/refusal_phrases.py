"""Phrases of declining replies in many languages, and error messages of failed programs, as data."""

from __future__ import annotations

import re
import unicodedata

_ENGLISH = (
    r"(?:i\s*(?:'m|\s+am)\s+(?:sorry|unable|not\s+able|not\s+sure|uncertain|afraid\s+i\s+(?:can't|cannot))|"
    r"(?<!no,\s)sorry\b(?!\s+for\b)(?!,?\s+(?:i\s+me(?:an|ant)\b|i\s+mis|it'?s\b|that\s+should|the\s+answer|correction))|i\s+apologi[sz]e|"
    r"(?:i|we)\s+(?:can\s*not|can't|could\s*not|couldn't|don't|do\s+not|won't|will\s+not|am\s+not|"
    r"must\s+decline|have\s+to\s+decline|decline)\s+"
    r"(?!see\s+(?:any|an?)\s+(?!image|picture|photo))(?:\w+\s+){0,2}?(?:answer|determine|tell|help|assist|identify|know|see|provide|decide|view|comply|process|"
    r"access|make\s+out|choose|respond)|"
    r"(?:cannot|can't|can\s+not|could\s+not|(?:impossible|not\s+possible)\s+to)\s+(?:be\s+)?(?:\w+ly\s+)?"
    r"(?:determined?|answer(?:ed)?|known?|tell|say|decided?|inferred|verified|established|discerned)|"
    r"(?:(?:not|\w+n't)\s+(?:\w+\s+){0,3}(?:enough|sufficient)|insufficient)\s+(?:information|context|detail|"
    r"evidence)|unable\s+to\s+(?:answer|determine|see|view|identify)|"
    r"(?:how\s+many|which|what|whether|who)\b[^.\n]{0,60}\b(?:can(?:not|'t)|could\s*(?:not|n't))\s+be\s+(?:seen|said|told|made\s+out)|"
    r"no\s+image\s+(?:is\s+|was\s+|has\s+been\s+)?(?:attached|provided|visible|uploaded|included|given)|"
    r"please\s+(?:upload|attach|provide|share)\s+(?:the|an|your)\s+image|against\s+(?:my|our)\s+(?:policy|policies|guidelines)|not\s+comfortable\s+(?:picking|choosing|answering)|(?:not\s+going\s+to|rather\s+not|prefer\s+not\s+to|will\s+not|won't)\s+(?:participate|engage|discuss|speculate|comment|guess)\b|(?:i'd|i\s+would)\s+(?:only\s+|just\s+)?be\s+guessing|unanswerable|as\s+an\s+ai\b)"
)

_SPACED = (
    # Spanish, French, German, Portuguese, Italian, Dutch
    r"(?:lo\s+siento|no\s+(?:puedo|me\s+es\s+posible|es\s+posible|se\s+puede|logro)\s+(?:\w+\s+)?(?:ver|"
    r"responder|determinar|identificar|ayudar|saber|contestar)|no\s+(?:lo\s+)?sé\b)",
    r"(?:désolée?|je\s+(?:ne|n')\s*(?:\w+\s+)?(?:peux|suis|vois|sais|parviens)\s+pas|"
    r"impossible\s+de\s+(?:déterminer|dire|répondre|savoir))",
    r"(?:tut\s+mir\s+leid|(?:ich\s+kann|kann\s+ich|"
    r"lässt\s+sich)\s+(?:[\w]+\s+){0,4}?nicht\s+(?:\w+\s+)?(?:sehen|beantworten|beurteilen|erkennen|helfen|bestimmen|sagen|"
    r"anzeigen|ansehen)|weiß\s+(?:ich\s+|es\s+)?nicht)",
    r"(?:desculpe|sinto\s+muito|não\s+(?:consigo|posso|é\s+possível)\s+(?:ver|responder|determinar|identificar|"
    r"ajudar|saber|visualizar)|não\s+sei\b)",
    r"(?:mi\s+dispiace|non\s+(?:posso|riesco\s+a|è\s+possibile)\s+(?:vedere|rispondere|determinare|identificare|"
    r"aiutar\w*|stabilire|visualizzare)|non\s+(?:lo\s+)?so\b)",
    r"(?:het\s+spijt\s+me|ik\s+kan\s+(?:\w+\s+){0,4}?niet\s+(?:zien|bekijken|beantwoorden|bepalen|helpen)|"
    r"ik\s+weet\s+het\s+niet)",
    # Polish, Czech, Russian, Ukrainian, Swedish and its neighbors, Finnish
    r"(?:przepraszam|przykro\s+mi|nie\s+(?:mogę|potrafię|jestem\s+w\s+stanie|wiem)\b|omlouvám\s+se|nemohu\b|"
    r"nevím\b|tyvärr|jag\s+kan\s+(?:tyvärr\s+)?inte|beklager|jeg\s+kan\s+ikke|en\s+voi\b)",
    r"(?:извините|простите|к\s+сожалению|(?:я\s+)?не\s+(?:могу|в\s+состоянии|знаю|вижу)\b|"
    r"невозможно\s+(?:определить|сказать|ответить)|вибачте|на\s+жаль|не\s+можу|неможливо)",
    # Turkish, Vietnamese, Indonesian and Malay, Greek, Hungarian, Romanian
    r"(?:üzgünüm|maalesef|göremiyorum|(?:cevapl|yanıtl)ayam\w+|bilmiyorum|yardımcı\s+olam\w+|xin\s+lỗi|"
    r"rất\s+tiếc|không\s+thể\s+(?:xem|trả\s+lời|xác\s+định|giúp|nhìn)|không\s+biết)",
    r"(?:maaf|tidak\s+(?:dapat|bisa|boleh)\s+(?:melihat|menjawab|menentukan|membantu)|tidak\s+tahu|λυπάμαι|"
    r"συγγνώμη|δεν\s+(?:μπορώ|γνωρίζω|ξέρω|είναι\s+δυνατό)|sajnálom|nem\s+tudom|îmi\s+pare\s+rău|nu\s+pot\b)",
)  # fmt: skip

_UNSPACED = (
    # Chinese, Japanese, Korean, Thai
    r"抱歉|(?:无法|無法|无从)得知|对不起|對不起|很遗憾|很遺憾|(?:无法|無法|不能|没法)(?:直接)?(?:回答|确定|確定|判断|判斷|识别|識別|"
    r"查看|看到|看清|辨认|提供|帮助|幫助|访问|分辨)|看不[到見见](?!的)|不知道|不清楚答案",
    r"申し訳|すみません|ごめんなさい|(?:答え|対応|判断|特定|識別|見る|確認|表示|回答|お手伝い)(?:する|"
    r"を)?(?:こと)?(?:が|は)?(?:でき|られ)(?:ません|ない)|答えられません|わかりません|分かりません|見えません",
    r"죄송|(?:볼|알|답변할|대답할|답할|판단할|확인할|도와드릴)\s*수(?:가|는)?\s*없|모르겠|ขออภัย|ขอโทษ|"
    r"ไม่สามารถ|ไม่ทราบ",
    # Arabic, Persian, Hebrew, Hindi, Bengali
    r"عذر|آسف|لا\s+(?:أستطيع|استطيع|يمكنني|يمكن|أعرف)|غير\s+قادر|متأسف|متاسف|نمی\s?(?:توانم|دانم)|מצטער|סליחה|"
    r"(?:לא|איני|אינני)\s+(?:יכול|יודע)",
    r"क्षमा|माफ़?\s*कर|नहीं\s+(?:देख|बता|कर|दे|पहचान)\s+सक|असमर्थ|पता\s+नहीं|দুঃখিত|(?:পারছি|পারি|জানি)\s+না",
)  # fmt: skip

REFUSAL = re.compile(
    unicodedata.normalize("NFKC", "|".join([rf"\b(?:{'|'.join([_ENGLISH, *_SPACED])})", *_UNSPACED])), re.I
)
"""Phrases of a declining reply."""

UNSEEN = re.compile(
    r"\b(?:do\s+not|don't|can\s*not|can't|could\s+not|couldn't)\s+(?:\w+\s+){0,2}?(?:see|view|make\s+out)\b|"
    r"看不到|看不見|看不见|見えません"
    r"|\bне\s+вижу\b|\bje\s+ne\s+vois\s+pas\b",
    re.I,
)
"""Phrases that, after a yes or no, state what the picture lacks: "No, I don't see a dog"."""

_STATUS = (
    r"(?:too\s+many\s+requests|internal\s+server\s+error|bad\s+gateway|service\s+(?:temporarily\s+)?unavailable|"
    r"gateway\s+time-?out|bad\s+request|unauthorized|forbidden)"
)

FAILURE = re.compile(
    r"\A[\s\[(]*(?:<!doctype|<html|traceback\b|failed\s+to\s+(?:obtain|get|fetch|generate|connect)|"
    r"(?:api\s+|http\s+|server\s+|internal\s+|request\s+|runtime\s+|connection\s+|fatal\s+)*(?:error|"
    r"exception)\s*(?::|[\])]|code\b|\d)|"
    rf"\{{\s*[\"'](?:error|detail)[\"']\s*:|\d{{3}}\s+{_STATUS}|{_STATUS}\s*[.!]?\s*(?:\Z|\n|<)|"
    r"(?:[a-z_]\w*\.)*\w*(?-i:Error|Exception|Timeout|TimedOut)\s*(?::|\()|"
    r"upstream\s+(?:connect|request)\b|(?:the\s+)?(?:request|connection|read)\s+(?:timed\s+out|was\s+aborted|"
    r"reset\s+by\s+peer|refused)|"
    r"rate\s+limit\s+(?:reached|exceeded)|cuda\s+(?:error|out\s+of\s+memory)|no\s+healthy\s+upstream|"
    r"curl:\s*\(\d+\))",
    re.I,
)
"""Words that indicate a failed program rather than a model's reply."""
