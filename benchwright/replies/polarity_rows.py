"""Phrases for a reply's stance toward an option, as data: one row per language (`polarity_phrases` contains the
patterns).

An option may be concluded ("so it is the cat"), rejected ("the dog can be ruled out"), contrasted ("unlike the dog"),
retracted ("at first I thought of the dog") or left over ("that leaves the cat"). Add languages and phrases here: each
field is a list of alternatives, written as regular expressions, with `|` between them.
"""

from __future__ import annotations

from typing import NamedTuple

NEVER = "(?!)"


class PolarityWords(NamedTuple):
    """Phrases of a language around an option.

    Args:
        so: Beginnings of a conclusion.
        but: Words that contrast with the text before; a new clause begins here.
        put_aside: Words before a denied or eliminated option.
        is_put_aside: Words after such an option, in its clause.
        beside: Words before an option to which another one is compared.
        at_first: Words before an option that the reply retracts.
        may: Words before an option that the reply only considers.
        leaves: Words before the option that is left over, or anywhere in a sentence that states that one is.
        because: Beginnings of a reason; an option in it is not an answer if the sentence named one before.
        conceded: Words after an option that the reply supposes or concedes.
        is_left: Words after the option that is left over.
        names: Words before those of an answer: the copula and similar words.
        is_named: Words after those of an answer, if the copula follows.
        fits: Words after an option that the reply finds to fit.
        fits_best: Words after an option that the reply finds to fit better than others.
        right, wrong: Verdicts that stand alone in a list or a table.
    """

    so: str
    but: str
    put_aside: str
    is_put_aside: str
    beside: str
    at_first: str
    may: str
    leaves: str
    because: str = NEVER
    conceded: str = NEVER
    is_left: str = NEVER
    names: str = NEVER
    is_named: str = NEVER
    fits: str = NEVER
    fits_best: str = NEVER
    right: str = NEVER
    wrong: str = NEVER


SPACED = {
    "en": PolarityWords(
        because=r"because|since|as(?=\s+(?:the|it|option|image|point|both)\b)|given\s+that|due\s+to",
        so=r"which\s+is\s+why|it\s+is\s+clear\s+that|in\s+sum|to\s+summarise|the\s+(?:overall|general)\s+(?:impression|effect|mood|picture)|the\s+upshot|the\s+(?:highest|lowest|largest|smallest|greatest|fastest|slowest|biggest|longest|shortest|tallest|peak|maximum|minimum)|so(?!\s+(?:far|that|much|many|as|long|on|is|are|does|do|did)\b)|therefore|thus|hence|consequently|accordingly|overall|"
           r"in\s+(?:conclusion|summary|short)|"
        r"to\s+(?:conclude|sum\s+up|summari[sz]e)|conclusion|this\s+means(?:\s+that)?|which\s+means(?:\s+that)?|"
        r"as\s+a\s+result|for\s+(?:this|that|these|those|which)\s+reasons?|(?:this|that)(?:'s|\s+is)\s+why|by\s+elimination|all\s+in\s+all|"
        r"(?:that|this|which)\s+(?:makes|leaves)|i\s+(?:therefore\s+)?conclude(?:\s+that)?|on\s+balance|"
        r"taken\s+together|ultimately|"
        r"(?:based\s+(?:on|up\s*on)|between|among|given|considering|out\s+of|of)\s+(?:this|these|those|that|the|all|both)[^.\n]{0,120}?,|"
        r"in\s+the\s+end|it\s+follows\s+that|(?:however,?\s+|but\s+)?if\s+(?:i|we|one)\s+(?:must|had\s+to|have\s+to|were\s+to|am\s+to|need\s+to)[^.\n]{0,120}?,",
        but=r"but|yet|however|whereas|while|though|although|nevertheless|still",
        put_aside=r"too\s+\w+\s+(?:for|to\s+be)|not|never|neither|nor|no|without(?!.*\b(?:is|are)\b)|n't|isn't|eliminat(?:e|es|ed|ing)|exclud(?:e|es|ed|ing)|"
                  r"rul(?:e|es|ed|ing)\s+out|reject(?:s|ed|ing)?|"
        r"discard(?:s|ed|ing)?|dismiss(?:es|ed)?|far\s+from|hardly|scarcely|everything\s+(?:except|but)|"
        r"all\s+but|except(?:\s+for)?|apart\s+from|"
        r"nothing\s+like|lacks?|anything\s+but|no\s+longer|rejected|eliminated|excluded|ruled\s+out|discarded",
        is_put_aside=r"(?:can|could|may|must|should|are|is|was|were|has|have|had|been|be|all|both|also|"
                     r"therefore|thus|too|then|clearly|definitely|immediately|"
        r"being|get|gets|does|do|did|would|will|either|quickly|both|safely)?\s*(?:(?:can|could|may|must|should|"
        r"are|is|was|were|has|have|had|been|be|all|both|also|therefore|thus|then|clearly|being)\s+){0,4}"
        r"(?:cuts?\s+(?:\w+\s+){0,3}?off|leaves?\s+(?:\w+\s+){0,3}?out|omits?|misses|eliminated|ruled\s+out|excluded|rejected|discarded|dismissed|out\b(?!\s*(?:of|side))|wrong|"
        r"incorrect|false|not|cannot|unlikely|irrelevant|implausible|mismatch(?:ed)?|"
        r"fails?|isn't|aren't|doesn't(?!\s+(?:have|show|suffer\s+from)\s+(?:this|that|these|such|any|those)\b)|"
        r"don't|can't|won't|wasn't|didn't|lacks?|crossed\s+off|less\b|(?:looks?|seems?|"
        r"appears?)\s+(?:\w+\s+){1,2}(?:at\s+first|until|initially)|comes?\s+(?:very\s+)?close\b(?!\s*st)|too\s+\w+|(?:stays?|remains?)\s+out\b|"
                     r"(?:much\s+|slightly\s+|a\s+bit\s+|located\s+)?(?:further|farther)\b)",
        beside=r"unlike|compared\s+(?:to|with)|in\s+comparison\s+(?:to|with)|in\s+contrast\s+(?:to|with)|"
               r"contrary\s+to|as\s+opposed\s+to|opposed\s+to|rather\s+than|"
        r"instead\s+of|in\s+place\s+of|than|versus|vs\.?|resembl(?:es|e|ing)|similar\s+to|reminiscent\s+of|"
        r"remind(?:s)?\s+(?:me|one)\s+of|(?:can|could)\s+be\s+(?:mistaken|confused)\s+(?:for|with)|"
        r"mistaken\s+for|confused\s+with|different\s+from|not\s+to\s+be\s+confused\s+with|next\s+to|behind|"
        r"beside|near|in\s+front\s+of|along(?:side)?(?:\s+with)?|besides|"
        r"close\s+to|followed\s+by|(?:just\s+)?ahead\s+of",
        at_first=r"(?:was|were)\s+(?:going|about|tempted|inclined)\s+to|would\s+have\s+(?:said|guessed|picked)|at\s+first(?:\s+(?:glance|sight|look))?|initial\s+\w+|initially|first\s+(?:thought|guess|impression|"
                 r"instinct|glance)|originally|"
        r"(?:might|may|could|would)\s+(?:\w+\s+){0,2}?(?:think|say|guess|expect|suggest|assume|seem|argue|call|"
        r"hint)|tempt(?:ed|ing)|mistake|(?:common|typical|naive|popular)\s+(?:answer|guess|choice)|thought|expected|assumed|mis(?:took|read)|said|"
        r"one\s+could|(?:someone|some\s+people)\s+(?:could|might|may|would)|people\s+often|previously|earlier|used\s+to|(?:appears?|"
        r"seems?)\s+like\s+(?:a|an|the)?\s*\w+\s+at\s+first|comes?\s+close",
        may=r"(?:options|choices|candidates|possibilities)\s+(?:\w+\s+)?(?:are|include|range|given)|question\s+(?:asks|is)|if|whether|suppose|assuming|unless|otherwise|consider(?:s|ing)?|check(?:ing)?|compar(?:e|es|ing)|"
            r"(?<!we're\s)(?<!we\sare\s)(?<!are\s)look(?:ing)?\s+at|examin(?:e|ing)|between\s+(?:the\s+|options?\s+|images?\s+|an?\s+)?\Z|either|"
            r"perhaps|maybe|possibly|could|might|may(?=\s+(?:also\s+|well\s+)?be\b)|would\s+(?:have|favou?r|suggest|support|point)|depending",
        leaves=r"(?:that|this|which|it|elimination)\s+(?:only\s+|just\s+)?leaves|leaves\s+(?:us|only|just|me|"
               r"behind)|leaving|left\s+with|only\s+(?:\w+\s+)?(?:remaining|left|possible|viable|"
               r"plausible)\s*(?:option|choice|candidate|answer|one|possibility)?|remaining|"
               r"only\s+one\s+(?:left|remaining|that)|"
        r"by\s+(?:process\s+of\s+)?elimination|process\s+of\s+elimination|narrows?\s+(?:it|this|"
        r"things)?\s*down\s+to|everything\s+else\s+(?:is|can)|the\s+rest\s+(?:can|is|are)",
        is_left=r"(?:is|are|was)\s+(?:(?:the|what|all|we're|we|are|only|one|that|then|option|choice|candidate|"
                r"answer|image|thing|us)\s+){0,5}(?:left|remaining|remains)|remains|survives",
        names=r"(?:precisely|exactly|just)\s+what|i\.e\.|that\s+is(?:\s+to\s+say)?,?|one\s+of(?=\W*\Z)|(?:both|the\s+two|they)\s+(?:\w+\s+){0,3}?(?:have|share|has)|(?<!\bso\s)is|are|will|would|was|were|be|been|being|'s|'re|(?:shown|found|represented|depicted|illustrated|given|seen)\s+(?:in|by)|looks?|appears?|seems?|indicat(?:es|e|ing)|suggests?|"
              r"shows?|showing|depicts?|represents?|means?|symboli[sz]es?|stands?\s+for|conveys?|expresses|signif(?:y|ies)|(?:playing|holding|wearing|doing|discussing|eating|riding|using|watching|reading|drinking|carrying)|mak(?:es|e|ing)(?:\s+(?:it|this|that))?|"
        r"called|described\s+as|identif(?:y|ies|ied)(?:\s+\w+){0,4}?\s+as|illustrat(?:es|ing)|classified\s+as|points?\s+to(?:wards?)?|consistent\s+with|"
        r"became|becomes?|(?:mov|turn|rotat|pann?|shift|head)(?:ing|ed|es|s)|(?:is|be|was|were)\s+(?:[\w-]+\s+){0,5}?(?:labell?ed|marked|left|made|caused|circled|called|designated|denoted|identified)(?:\s+(?:as|by|with))?|letter|total\s+of|totals?|count|equals?|=|say|choose|pick|chose|picked|"
        r"gives?(?:\s+us)?|favou?rs?|confirms?|(?:characteristics?|typical|hallmarks?|signatures?|signs?|indicative|suggestive|classic|evidence|process|consistent|belongs?|example|symptoms?|features?|diagnosis|known)\s+(?:of|for|to|with|as)|"
              r"i\.e\.|namely|agrees?\s+(?:with|for)|match(?:es)?(?:\s+with)?|"
        r"corresponds?\s+to|goes?\s+(?:to|with)",
        fits=r"match(?:es)?|fits?|agrees?|corresponds?|works?|shares?|aligns?|continues?|completes?|lines?\s+up|suits?|"
             r"(?:is|would\s+be|must\s+be)\s+(?:\w+ly\s+)?(?:the\s+)?(?:missing|matching|corresponding|real)\b|"
             r"satisf(?:y|ies)|meets?|stands?\s+out|does(?:\s+too)?\s*(?=[.,;\n]|\Z)|(?:is|looks?|seems?|"
             r"appears?)\s+(?:to\s+be\s+)?(?:the\s+|a\s+)?(?:genuine|real|authentic|natural)|"
        r"has\s+(?:(?:a\s+|the\s+)?(?:same|matching|identical)|what|exactly|both\b|all\s+(?:of|the|three|"
        r"four)\b|(?:\w+\s+){1,4}(?:we|"
        r"i)\s+(?:need|want|are\s+looking\s+for))|is\s+(?:the\s+|my\s+)?(?:final\s+)?(?:one|same|match|right|correct|answer|winner|"
        r"odd\s+one\s+out|what|consistent|identical|similar)|keeps?|passes|wins?|it\s+is|accepted|"
        r"is(?=\s*(?:[.;!]|\Z))|is\s+(?:just|exactly)\s+right|does\s+(?!not\b)\w+|"
             r"(?:would\s+)?completes?\b|has\s+the\s+(?:missing|right|correct)",
        fits_best=r"\w{4,}s\s+(?:the\s+\w+\s+)?(?:best|most\s+(?:accurately|closely|tightly|precisely))(?=\s*(?:[.,;]|\Z))|(?:has|have|had|shows?|is|was)\s+the\s+(?:(?!rest|west|forest)\w{3,}est|most)\b|(?:more|most|better)\s+(?:accurately|closely|tightly|precisely|likely|similar|consistent)|(?:has|have)\s+a\s+(?:darker|nearer|closer)|"
                  r"(?:\w+\s+){0,2}?(?:match(?:es)?|fits?|agrees?|corresponds?|suits?|aligns?|"
                  r"describes?(?:\s+\w+){0,3})\s+(?:(?:it|this|them|the\s+\w+|both|all|everything)\s+)?(?:best|"
                  r"better|perfectly|exactly|most\s+closely|more\s+closely|seamlessly)|"
        r"(?:best|better|perfectly|exactly)\s+(?:match(?:es)?|fits?|suits?|describes?)|(?:is|are|looks?|"
        r"appears?|seems?|would\s+be|must\s+be)\s+(?:to\s+be\s+)?(?:\w+ly\s+)?(?:the\s+|a\s+)?(?:much\s+|far\s+|clear\s+)?"
        r"(?:winner|correct\s+(?:one|choice|answer|option)|right\s+(?:one|choice|answer)|missing|\w{3,}er\s+(?:of\s+the\s+two|one)|best|closest|only|most|better|closer|nearer|more\s+\w+\s+(?:fit|match|continuation|choice|candidate|completion|one)|more\s+(?:similar|alike|likely|consistent|plausible|"
        r"suitable|appropriate|accurate|in\s+line)|odd\s+one\s+out)",
        right=r"yes|correct|right|true|match(?:es)?|matched|fits?|good|ok(?:ay)?|valid|accepted?|best|"
              r"perfect(?:\s+match)?|pass(?:es)?|possible|supported|consistent|answer|this\s+(?:matches|fits|"
              r"is\s+(?:it|the\s+one|correct|right))|best\s+match|selected|keep|likely|plausible|this\s+one|present|exactly\s+right",
        wrong=r"no|incorrect|wrong|false|mismatch(?:es)?|does(?:n't|\s+not)\s+\w+|not\b(?:\s+\w+)?|bad|invalid|"
              r"rejected|reject|fail(?:s|ed)?|impossible|unsupported|inconsistent|eliminated?|excluded?|"
              r"ruled\s+out|out|unlikely|implausible|no\s+match|nope|different|isn't|can't|cannot|"
              r"discard(?:ed)?|less\s+likely|too\s+\w+|absent",
        conceded=r"would\s+(?:\w+ly\s+|also\s+|instead\s+|rather\s+)?(?:(?:be|seem)(?!\s+(?:\w+\s+)?(?:the|a|my|best|correct|right|most|closer|nearer|darker)\b)|"
                 r"have|need|require|involve|show|look|include|imply|mean|distort|break|draw|produce|cross|indicate|suggest|depict|display|concern|result)",
    ),
    "es": PolarityWords(
        because=r"porque|ya\s+que|puesto\s+que|dado\s+que|pues",
        so=r"por\s+lo\s+(?:cual|que)|lo\s+que\s+(?:significa|indica|implica)\s+que|es\s+decir|motivo\s+por\s+el\s+cual|en\s+suma|de\s+ahí\s+que|en\s+consecuencia|por\s+(?:este|ese|esta|esa|estos|estas)\s+(?:motivos?|raz[óo]n(?:es)?)|concluyo\s+que|por\s+(?:lo\s+)?tanto|por\s+consiguiente|así\s+que|entonces|en\s+conclusión|en\s+resumen|luego|"
           r"de\s+modo\s+que|por\s+eso|por\s+ende|en\s+definitiva|finalmente|conclusión",
        but=r"pero|sino|aunque|mientras(?:\s+que)?|sin\s+embargo|en\s+cambio",
        put_aside=r"no|ni|nunca|descart(?:o|amos|ar|ando|ada|ado)|elimin(?:o|amos|ar|ando)|excluy(?:o|endo)|"
                  r"excluimos|salvo|excepto|lejos\s+de|tampoco",
        is_put_aside=r"(?:se\s+)?(?:puede[n]?\s+)?(?:queda(?:n)?\s+)?(?:también\s+)?(?:descart\w+|elimin\w+|"
                     r"exclu\w+|no\b|tampoco|falla|es\s+(?:incorrect|fals)\w+|son\s+(?:incorrect|fals)\w+)",
        beside=r"a\s+diferencia\s+de|en\s+lugar\s+de|en\s+vez\s+de|(?:más|menos|mejor|antes|mayor|"
               r"menor)\s+(?:\w+\s+){0,2}que|comparad[oa]\s+con|en\s+comparación\s+con|frente\s+a|"
               r"en\s+contraste\s+con|junto\s+a|al\s+lado\s+de|parecid[oa]\s+a|detrás\s+de|se\s+parece\s+a",
        at_first=r"al\s+principio|inicialmente|en\s+un\s+principio|lo\s+primero|primero\s+pensé|podría\s+parecer|"
                 r"a\s+primera\s+vista|pensé|parecía|creí",
        may=r"si|podría|podrían|puede\s+(?:que|ser)|quizás?|tal\s+vez|entre|posiblemente",
        leaves=r"(?:solo|sólo|solamente|únicamente)\s+(?:nos\s+)?queda|queda(?:\s+(?:solo|sólo|únicamente))?|"
               r"(?:la\s+)?única\s+(?:opción\s+)?(?:restante|posible|que\s+queda|que\s+encaja)|por\s+descarte|"
               r"por\s+eliminación|restante|nos\s+deja",
        is_left=r"es\s+(?:la\s+|el\s+)?(?:únic[ao]\s+)?(?:opción\s+)?(?:que\s+queda|restante)",
        names=r"(?:ambos|ambas|los\s+dos|las\s+dos)\s+(?:\w+\s+){0,3}?(?:tienen|comparten)|fue|lleva|sostiene|toca|representa|simboliza|marcad[oa]\s+(?:como|con)|señalad[oa]\s+(?:como|con)|cuento|apunta\s+a|es|son|está|están|parece|parecen|muestra|indica|sugiere|de\s+color|sería|era|hay|elijo|se\s+ven?|"
              r"se\s+trata\s+(?:\w+\s+)?de|total\s+de|corresponde\s+a|coincide\s+con",
        fits=r"continúa|completa|es\s+la\s+(?:parte|pieza)\s+que\s+falta|comparte\s+(?:el|la)\s+mism[ao]|coincide|corresponde|encaja|cumple|concuerda|es\s+(?:[^\W\d_]+\s+){0,2}?(?:la|el)\s+(?:que|correct[ao]|adecuad[ao])|"
             r"tiene\s+(?:la|el)\s+mism[ao]|es\s+(?:correct|adecuad|cierta|verdader)[ao]?",
        fits_best=r"es\s+(?:\w+\s+){0,4}?(?:la|el)\s+(?:más|que\s+más)|\w{3,}[ae]\s+mejor|(?:es|está)\s+(?:\w+\s+){0,2}?más\s+(?:cerca|próxim|parecid|similar|probable|oscur)\w*|(?:encaja|coincide|corresponde|describe)\s+(?:\w+\s+){0,3}?mejor|es\s+(?:la|"
                  r"el)\s+(?:que\s+)?(?:más|mejor|únic[ao])|mejor\s+(?:encaja|describe|coincide)|"
                  r"es\s+más\s+(?:parecid|similar|probable|adecuad)\w*|es\s+(?:la|el)\s+que\s+mejor",
        right=r"sí|si|correct[ao]|verdader[ao]|ciert[ao]|coincide|encaja|válid[ao]|adecuad[ao]|acertad[ao]",
        wrong=r"no\b(?:\s+\w+)?|incorrect[ao]|fals[ao]|errónea|erróneo|descartad[ao]|inválid[ao]|equivocad[ao]",
        conceded=r"(?:tendría|mostraría|estaría|habría|requeriría|sería(?!\s+(?:la|el|correct|adecuad|mejor)))",
    ),
    "pt": PolarityWords(
        because=r"porque|pois|já\s+que|uma\s+vez\s+que|visto\s+que|dado\s+que",
        so=r"pelo\s+que|por\s+esse\s+motivo|o\s+que\s+(?:significa|indica|implica)\s+que|ou\s+seja|em\s+suma|motivo\s+pelo\s+qual|sendo\s+assim|por\s+(?:este|esse|esta|essa|estes|estas)s?\s+(?:motivos?|raz(?:ão|ões))|concluo\s+que|diante\s+disso|portanto|logo|assim(?:\s+sendo)?|então|por\s+isso|em\s+conclusão|em\s+resumo|concluindo|"
           r"dessa\s+forma|desse\s+modo|por\s+conseguinte|conclusão",
        but=r"mas|porém|contudo|entretanto|embora|enquanto|no\s+entanto|já",
        put_aside=r"não|nem|nunca|elimin(?:o|amos|ar|ando)|descart(?:o|amos|ar|ando)|exclu(?:o|ímos|ir|indo)|"
                  r"exceto|longe\s+de|tampouco",
        is_put_aside=r"(?:também\s+)?(?:pode(?:m)?\s+ser\s+)?(?:está\s+|fica\s+|é\s+|são\s+|foi\s+|foram\s+|"
                     r"estão\s+)?(?:também\s+)?(?:descartad|eliminad|excluíd|incorret|errad|fals|não\b|nem\b|"
                     r"falha)\w*",
        beside=r"ao\s+contrário\s+d[aoe]|em\s+vez\s+d[aeo]|em\s+lugar\s+de|do\s+que|comparad[oa]\s+(?:com|a)|"
               r"em\s+comparação\s+com|diferente(?:mente)?\s+d[aeo]|ao\s+lado\s+d[aeo]|parecid[oa]\s+com|"
               r"atrás\s+d[aeo]|em\s+contraste\s+com",
        at_first=r"inicialmente|no\s+início|a\s+princípio|à\s+primeira\s+vista|pensei|parecia|achei|"
                 r"primeira\s+coisa|primeiro\s+pensei|poderia\s+parecer",
        may=r"se(?=\s+(?:o|a|os|as|eu|for|fosse|houve\w*)\s)|pode(?:ria)?(?:m)?\s+ser|talvez|entre|possivelmente",
        leaves=r"resta(?:m)?(?:\s+(?:apenas|só|somente))?|sobra(?:m(?!\s+(?:os|as)\s+d))?(?:\s+(?:apenas|só))?|(?:só|apenas|"
               r"somente)\s+(?:resta|sobra)|por\s+eliminação|restante|nos\s+deixa",
        is_left=r"é\s+(?:a|o)\s+(?:única\s+|único\s+)?(?:opção\s+)?(?:que\s+(?:resta|sobra)|restante)",
        names=r"(?:ambos|ambas|os\s+dois|as\s+duas)\s+(?:\w+\s+){0,3}?(?:têm|possuem)|foi|leva|segura|toca|representa|simboliza|marcad[oa]\s+(?:como|com)|conto|aponta\s+para|é|são|está|estão|parece|parecem|mostra|indica|sugere|de\s+cor|seria|era|há|escolho|"
              r"trata-se\s+(?:\w+\s+)?de|total\s+de|corresponde\s+a|coincide\s+com",
        fits=r"continua|completa|é\s+a\s+(?:parte|peça)\s+que\s+falta|coincide|corresponde|encaixa|combina|é\s+(?:[^\W\d_]+\s+){0,2}?(?:a|o)\s+(?:que|corret[ao]|cert[ao])|tem\s+(?:a|"
             r"o)\s+mesm[ao]|é\s+(?:corret|cert|adequad|verdadeir)[ao]",
        fits_best=r"é\s+(?:\w+\s+){0,4}?(?:a|o)\s+(?:mais|que\s+mais)|\w{3,}[ae]\s+melhor|(?:é|está)\s+(?:\w+\s+){0,2}?mais\s+(?:próxim|perto|parecid|semelhante|provável|escur)\w*|(?:corresponde|combina|descreve|encaixa)\s+(?:\w+\s+){0,3}?melhor|é\s+(?:a|"
                  r"o)\s+(?:que\s+)?(?:mais|melhor|únic[ao])|melhor\s+(?:corresponde|descreve)|"
                  r"é\s+mais\s+(?:parecid|semelhante|provável|adequad)\w*|é\s+(?:a|o)\s+que\s+melhor",
        right=r"sim|corret[ao]|cert[ao]|verdadeir[ao]|coincide|adequad[ao]|válid[ao]",
        wrong=r"não\b(?:\s+\w+)?|incorret[ao]|errad[ao]|fals[ao]|descartad[ao]|eliminad[ao]|inválid[ao]",
        conceded=r"(?:teria|mostraria|estaria|haveria|exigiria|seria(?!\s+(?:a|o|corret|adequad|melhor)))",
    ),
    "fr": PolarityWords(
        because=r"car|parce\s+qu[e']|puisqu[e']|étant\s+donné\s+que",
        so=r"ce\s+qui\s+(?:signifie|indique|implique)\s+que|raison\s+pour\s+laquelle|d'où|si\s+bien\s+que|en\s+somme|autrement\s+dit|pour\s+(?:ces?|cette)\s+raisons?|on\s+en\s+déduit\s+que|j'en\s+déduis\s+que|de\s+ce\s+fait|soit(?![^.]*\bsoit\b)|donc|ainsi|par\s+conséquent|en\s+conclusion|en\s+résumé|c'est\s+pourquoi|alors|finalement|"
           r"en\s+définitive|conclusion|on\s+en\s+conclut\s+que|j'en\s+conclus\s+que",
        but=r"mais|cependant|toutefois|alors\s+que|tandis\s+que|pourtant|bien\s+que|néanmoins",
        put_aside=r"pas|ni|jamais|non|écart(?:er|e|ons|ant)|élimin(?:er|e|ons|ant)|exclu(?:re|s|ons|t)|sauf|"
                  r"excepté|loin\s+d(?:e|')|plutôt\s+qu(?:e|')",
        is_put_aside=r"(?:(?:est|sont|peut|peuvent|être|aussi|également|donc)\s+){0,4}(?:ne\s|n'|pas\b|"
                     r"éliminé\w*|écarté\w*|exclu\w*|faux|fausse\w*|incorrect\w*|erroné\w*)",
        beside=r"contrairement\s+(?:à|au|aux)|au\s+lieu\s+d(?:e|u|')|plutôt\s+qu(?:e|')|par\s+rapport\s+(?:à|"
               r"au)|comparé\w*\s+(?:à|au)|(?:plus|moins|mieux)\s+(?:\w+\s+){0,2}qu(?:e|')|"
               r"à\s+la\s+différence\s+d(?:e|u)|à\s+côté\s+d(?:e|u)|près\s+d(?:e|u)|derrière|ressemble\s+à",
        at_first=r"d'abord|au\s+début|initialement|au\s+départ|à\s+première\s+vista?e?|pensé|pensais|croyais|"
                 r"cru|on\s+pourrait\s+(?:croire|penser|dire)",
        may=r"si|pourrai(?:t|ent)|peut-être|entre|soit(?=[^.]*\bsoit\b)|ou\s+bien|éventuellement",
        leaves=r"il\s+ne\s+reste(?:\s+(?:plus|donc))?(?:\s+qu(?:e|'))?|ne\s+reste\s+qu(?:e|')|reste|"
               r"seule?\s+(?:option\s+)?(?:restante|possible)|par\s+élimination|restante?",
        is_left=r"est\s+(?:la|le)\s+(?:seule?\s+)?(?:option\s+)?(?:qui\s+reste|restante?)",
        names=r"les\s+deux\s+(?:\w+\s+){0,3}?(?:ont|partagent)|porte|tient|joue\s+d[ue]|représente|symbolise|compte[rz]?|marquée?\s+(?:par|comme)|renvoie(?:nt)?\s+(?:\w+\s+)?à|exprime|est|sont|c'est|semble|semblent|paraît|montre|indique|suggère|serait|était|de\s+couleur|"
              r"il\s+y\s+a|choisis|retiens|choisirais|opte\s+(?:donc\s+)?pour|il\s+s'agit\s+(?:\w+\s+)?d(?:e|')|s'agit\s+d'une?|total\s+de|correspond\s+(?:à|au)",
        fits=r"complète|est\s+(?:\w+\s+)?la\s+(?:partie|pièce)\s+manquante|partage\s+(?:le|la|les)\s+mêmes?|correspond|convient|coïncide|concorde|s'aligne|est\s+(?:[^\W\d_]+\s+){0,2}?(?:la|le)\s+(?:bonne?|même|seule?)|"
             r"a\s+(?:la|le)\s+même|est\s+(?:correcte?|juste|exacte?|vraie?)|continue",
        fits_best=r"est\s+(?:\w+\s+){0,4}?(?:la|le)\s+plus|\w{3,}e\s+(?:\w+\s+)?(?:le\s+mieux|le\s+plus)|ressemble\s+(?:davantage|le\s+plus|plus)|est\s+(?:\w+\s+){0,2}?plus\s+(?:proche|foncée?|sombre|semblable|similaire|probable)|(?:correspond|convient|décrit|coïncide)\s+(?:\w+\s+){0,3}?(?:mieux|parfaitement|exactement|"
                  r"le\s+plus)|est\s+(?:la|le)\s+(?:plus|meilleure?|seule?)|est\s+plus\s+(?:proche|semblable|"
                  r"similaire|probable)|(?:décrit|correspond)\s+le\s+mieux",
        right=r"oui|vraie?|correcte?|juste|exacte?|correspond|bonne?|valide|convient",
        wrong=r"non|faux|fausse|incorrecte?|ne\s+\w+\s+pas|éliminée?|écartée?|exclue?|invalide|erronée?|mauvaise?",
        conceded=r"(?:aurait|montrerait|devrait|serait(?!\s+(?:la|le|donc|correct)))",
    ),
    "it": PolarityWords(
        because=r"perché|poiché|dato\s+che|siccome|in\s+quanto",
        so=r"per\s+cui|motivo\s+per\s+cui|il\s+che\s+(?:significa|indica|implica)\s+che|ossia|cioè|in\s+somma|per\s+quest[oaie]\s+(?:motiv[oi]|ragion[ei])|ne\s+consegue\s+che|quindi|dunque|pertanto|perciò|di\s+conseguenza|in\s+conclusione|in\s+sintesi|infine|conclusione|in\s+definitiva",
        but=r"ma|però|tuttavia|mentre|anche\s+se|sebbene|invece|bensì|benché",
        put_aside=r"non|né|mai|esclud(?:o|iamo|ere|endo)|scart(?:o|iamo|are|ando)|elimin(?:o|iamo|are|ando)|tranne|eccetto|"
                  r"troppo\s+\w+\s+per",
        is_put_aside=r"(?:(?:è|sono|può|possono|va|vanno|essere|anche|quindi|viene|vengono)\s+){0,4}(?:non\b|esclus\w+|"
                     r"scartat\w+|eliminat\w+|errat\w+|sbagliat\w+|fals\w+|troppo)",
        beside=r"a\s+differenza\s+d\w+'?|invece\s+d\w+|al\s+posto\s+d\w+|(?:più|meno|meglio)\s+(?:\w+\s+){0,2}(?:che|d\w+)|"
               r"rispetto\s+a\w*|accanto\s+a\w*|vicino\s+a\w*|dietro",
        at_first=r"all'inizio|inizialmente|a\s+prima\s+vista|pensavo|sembrava|si\s+potrebbe\s+pensare|avevo\s+pensato",
        may=r"se(?=\s+(?:la|il|lo|fosse|ci|si)\s)|potrebbe(?:ro)?|forse|magari|possibilmente",
        leaves=r"resta(?:no)?(?:\s+(?:solo|soltanto))?|rimane(?:\s+(?:solo|soltanto))?|per\s+esclusione|l'unica\s+(?:opzione\s+)?rimasta",
        is_left=r"è\s+(?:l'|la\s+)?(?:unica\s+)?(?:opzione\s+)?(?:rimasta|che\s+resta)",
        names=r"(?:entrambi|entrambe|i\s+due|le\s+due)\s+(?:\w+\s+){0,3}?(?:hanno|condividono)|è|é|sono|era|sembra|sembrano|mostra|indica|suggerisce|rappresenta|simboleggia|corrisponde\s+a\w*|"
              r"coincide\s+con|c'è|ci\s+sono|vedo|conto|scelgo|totale\s+(?:di)?|si\s+tratta\s+(?:\w+\s+)?di|tiene|porta|suona|sarebbe",
        fits=r"completa|continua|corrisponde|coincide|combacia|si\s+adatta|condivide|è\s+(?:[^\W\d_]+\s+){0,2}?(?:la|il|quell[ao])\s+(?:parte|pezzo|"
             r"mancante|giust[ao]|corrett[ao]|stess[ao])|è\s+(?:corrett|giust|esatt)[ao]|ha\s+l[ao]\s+stess[ao]",
        fits_best=r"è\s+(?:\w+\s+){0,4}?(?:la|il)\s+più|\w{3,}[ae]\s+meglio|è\s+(?:\w+\s+){0,2}?(?:più|la\s+migliore|il\s+migliore)\b|(?:corrisponde|descrive|si\s+adatta)\s+(?:\w+\s+)?meglio",
        right=r"sì|corrett[ao]|giust[ao]|ver[ao]|esatt[ao]|corrisponde|coincide",
        wrong=r"no|errat[ao]|sbagliat[ao]|fals[ao]|non\b(?:\s+\w+)?|esclus[ao]|scartat[ao]",
        conceded=r"(?:avrebbe|mostrerebbe|sarebbe(?!\s+(?:la|il|corrett|giust)))",
    ),
    "nl": PolarityWords(
        because=r"omdat|want|aangezien",
        so=r"waardoor|vandaar|dat\s+betekent|zodat|dus|daarom|conclusie|kortom|derhalve",
        but=r"maar|echter|terwijl|hoewel|al\s+is",
        put_aside=r"niet|geen|nooit|behalve|sluit",
        is_put_aside=r"(?:(?:is|zijn|kan|kunnen|valt|vallen|past|passen|klopt)\s+){0,3}(?:niet|geen|af\b|fout|onjuist|uitgesloten)",
        beside=r"in\s+tegenstelling\s+tot|dan|in\s+plaats\s+van|naast|achter|vergeleken\s+met",
        at_first=r"eerst|aanvankelijk|op\s+het\s+eerste\s+gezicht|dacht",
        may=r"als|of|misschien|mogelijk|kan|zou|tussen",
        leaves=r"blijft|alleen\s+\w+\s+over|door\s+eliminatie",
        names=r"is|zijn|lijkt|toont|betekent|er\s+zijn|kies|was|symboliseert|draagt|speelt|houdt",
        fits=r"past|klopt|komt\s+overeen|is\s+(?:de|het)\s+(?:juiste|ontbrekende|zelfde)",
        fits_best=r"\w{3,}t\s+(?:[^\W\d_]+\s+){0,3}?het\s+best|is\s+(?:\w+\s+){0,2}?(?:het\s+meest|dichterbij|donkerder)|past\s+(?:\w+\s+)?(?:beter|het\s+best)",
        right=r"ja|juist|correct|goed|klopt|past",
        wrong=r"nee|onjuist|fout|niet\b(?:\s+\w+)?|klopt\s+niet",
    ),
    "pl": PolarityWords(
        because=r"ponieważ|bo|gdyż|jako\s+że",
        so=r"co\s+oznacza,?\s+że|dlatego\s+też|a\s+zatem|czyli|zatem|więc|dlatego|podsumowując|wniosek|ostatecznie|w\s+rezultacie|stąd",
        but=r"ale|jednak|natomiast|choć|chociaż|podczas\s+gdy|lecz",
        put_aside=r"nie|ani|nigdy|wyklucz\w+|odrzuc\w+|oprócz",
        is_put_aside=r"(?:(?:jest|są|można|też|również|to)\s+){0,3}(?:nie\b|odpada\w*|wyklucz\w*|odrzuc\w*|błędn\w*|fałsz\w*)",
        beside=r"w\s+przeciwieństwie\s+do|w\s+porównaniu\s+(?:z|do)|zamiast|niż|obok|podobn\w+\s+do|za",
        at_first=r"początkowo|na\s+pierwszy\s+rzut\s+oka|najpierw|myślał\w*",
        may=r"jeśli|może|czy|albo|między|możliwe",
        leaves=r"zostaje|pozostaje|jedyn\w+",
        names=r"to|jest|są|był\w*|wygląda|przedstawia|pokazuje|oznacza|wybieram|trzyma|nosi|symbolizuje",
        fits=r"pasuje|zgadza\s+się|odpowiada|jest\s+(?:brakując\w+|poprawn\w+|właściw\w+|prawdziw\w+)",
        fits_best=r"(?:jest\s+|znajduje\s+się\s+)?(?:bliżej|ciemniejsz\w+|najbardziej|najlepiej)|(?:lepiej|najlepiej)\s+\w+",
        right=r"tak|poprawn\w+|prawidłow\w+|prawda|pasuje|dobrze",
        wrong=r"nie\b(?:\s+\w+)?|błędn\w+|niepoprawn\w+|fałsz",
    ),
    "tr": PolarityWords(
        because=r"çünkü|zira",
        so=r"dolayısıyla|bu\s+nedenle|bu\s+yüzden|sonuç\s+olarak|yani|o\s+halde|öyleyse",
        but=r"ama|ancak|fakat|oysa|ise",
        put_aside=NEVER,
        is_put_aside=r"(?:\w+\s+){0,3}?(?:değil\w*|elen\w*|yanlış\w*|uymuyor|olamaz|yok\b)",
        beside=NEVER,
        at_first=r"ilk\s+bakışta|başta|önce",
        may=r"eğer|belki|ya",
        leaves=r"geriye|sadece",
        is_left=r"kal(?:ıyor|ır|dı)",
        is_named=r"(?:\w+\s+)?\w*'?[td][iıuü]r",
        fits=r"uyuyor|eşleşiyor|karşılık\s+geliyor|doğru\w*|eksik\s+parça\w*",
        fits_best=r"(?:kameraya\s+)?(?:daha|en)\s+\w+",
        right=r"evet|doğru\w*|uyuyor",
        wrong=r"hayır|yanlış\w*|değil",
    ),
    "vi": PolarityWords(
        because=r"vì|bởi\s+vì|do",
        so=r"vì\s+vậy|do\s+đó|vậy|như\s+vậy|kết\s+luận|tóm\s+lại|nên|cho\s+nên",
        but=r"nhưng|tuy\s+nhiên|mặc\s+dù|trong\s+khi|còn|mà\s+là",
        put_aside=r"không|chẳng|loại(?:\s+trừ)?|chưa|ngoại\s+trừ",
        is_put_aside=r"(?:(?:là|bị|cũng|đều)\s+){0,3}(?:không|sai|loại|chưa)",
        beside=r"khác\s+với|so\s+với|thay\s+vì|hơn|gần|bên\s+cạnh|giống\s+như",
        at_first=r"ban\s+đầu|thoạt\s+nhìn|lúc\s+đầu",
        may=r"nếu|có\s+thể|có\s+lẽ|hoặc|giữa",
        leaves=r"chỉ\s+còn(?:\s+lại)?|còn\s+lại|loại\s+trừ",
        names=r"là|có|vào(?:\s+lúc)?|trông|cho\s+thấy|chọn|đang|bằng|tượng\s+trưng\s+cho",
        fits=r"khớp|phù\s+hợp|tương\s+ứng|đúng|là\s+(?:phần|mảnh)\s+còn\s+thiếu",
        fits_best=r"(?:là\s+)?(?:gần|giống|phù\s+hợp|khớp)\s+(?:\w+\s+)?(?:hơn|nhất)",
        right=r"đúng|có|chính\s+xác|phù\s+hợp",
        wrong=r"sai|không\b(?:\s+\w+)?",
    ),
    "id": PolarityWords(
        because=r"karena|sebab",
        so=r"jadi|oleh\s+karena\s+itu|maka|dengan\s+demikian|kesimpulannya|karena\s+itu|sehingga",
        but=r"tetapi|tapi|namun|sedangkan|meskipun|melainkan|sementara",
        put_aside=r"bukan|tidak|tanpa|kecuali",
        is_put_aside=r"(?:(?:juga|dapat|bisa|adalah)\s+){0,3}(?:tidak|bukan|salah|dieliminasi)",
        beside=r"berbeda\s+dengan|dibandingkan(?:\s+dengan)?|daripada|di\s+samping|dekat|di\s+belakang",
        at_first=r"awalnya|pada\s+pandangan\s+pertama|sekilas",
        may=r"jika|mungkin|antara|apakah",
        leaves=r"tersisa|hanya",
        names=r"adalah|ialah|yaitu|merupakan|ada|terlihat|menunjukkan|memilih|melambangkan|memegang|memakai",
        fits=r"cocok|sesuai|sama|adalah\s+bagian\s+yang\s+hilang",
        fits_best=r"(?:yang\s+)?(?:paling|lebih)\s+\w+",
        right=r"ya|benar|tepat|cocok|sesuai",
        wrong=r"tidak\b(?:\s+\w+)?|salah|bukan",
    ),
    "de": PolarityWords(
        because=r"weil|denn|da(?=\s+(?:die|der|das|es|sie|er|nur|beide|bild|option)\b)",
        so=r"weshalb|weswegen|sodass|so\s+dass|das\s+(?:heißt|bedeutet)|im\s+ergebnis|aus\s+diese[mn]\s+gr[uü]nde?n?|infolgedessen|dementsprechend|alles\s+in\s+allem|also|daher|deshalb|somit|folglich|demnach|deswegen|fazit|insgesamt|zusammenfassend|damit|letztlich|"
           r"schließlich|daraus\s+folgt",
        but=r"aber|sondern|jedoch|während|obwohl|doch|hingegen|dagegen|allerdings|wobei|auch\s+wenn",
        put_aside=r"nicht|kein(?:e|en|er|es|em)?|weder|noch|nie|ausschließen|ausgeschlossen|außer|verwerfe|"
                  r"eliminiere|statt|anstatt|anstelle",
        is_put_aside=r"(?:(?:ist|sind|kann|können|wird|werden|passt|passen|scheidet|scheiden|fällt|fallen|hat|"
                     r"haben|stimmt|stimmen|auch|ebenfalls|man|wir|damit|schon|bereits|beide)\s+){0,4}"
        r"(?:nicht|kein\w*|aus\b|ausgeschlossen|weg\b|falsch|raus\b|ausscheiden|verworfen|auszuschließen|"
        r"ausschließen|zu\s+(?!sehen|erkennen|finden|sein)\w+)",
        beside=r"im\s+(?:gegensatz|vergleich|unterschied)\s+zu[mr]?|\w{3,}er\s+als|anders\s+als|mehr\s+als|"
               r"statt|anstatt|anstelle|verglichen\s+mit|neben|hinter|gegenüber|ähnelt|anstelle\s+von",
        at_first=r"zunächst|zuerst|anfangs|ursprünglich|auf\s+den\s+ersten\s+blick|dachte|"
                 r"man\s+könnte\s+(?:meinen|denken|sagen)|vermutete",
        may=r"wenn|falls|ob|könnte|könnten|vielleicht|möglicherweise|entweder|zwischen",
        leaves=r"übrig\s+bleibt|bleibt(?:\s+(?:nur|also|somit|noch|damit|lediglich))*|bleiben\s+nur|"
               r"es\s+bleibt\s+(?:nur)?|einzige\s+(?:verbleibende|übrige|mögliche)|verbleibende\w*|"
               r"ausschlussverfahren|verbleibt",
        is_left=r"(?:bleibt|ist|verbleibt)\s+(?:als\s+\w+\s+)?(?:\w+\s+)?(?:übrig|verbleibend\w*|übriggeblieben)",
        names=r"(?:beide|die\s+zwei)\s+(?:\w+\s+){0,3}?(?:haben|besitzen|weisen)|(?:spricht|sprechen)\s+(?:\w+\s+){0,3}?für|kennzeichnet|symbolisiert|steht\s+für|hält|trägt|spielt|zähle|markiert\s+(?:als|mit)|deutet\s+auf|ist|sind|war|scheint|scheinen|wirkt|zeigt|zeigen|bedeutet|aussieht|sieht|"
              r"handelt\s+es\s+sich\s+(?:\w+\s+){0,2}?um|es\s+handelt\s+sich\s+(?:\w+\s+){0,2}?um|wäre|es\s+gibt|insgesamt|wähle|entspricht|heißt|stimmt\s+mit|passt\s+zu",
        fits=r"ist\s+(?:\w+\s+)?(?:das|die|der)\s+(?:fehlende|gesuchte|entsprechende)\w*|ergänzt|vervollständigt|passt|stimmt|entspricht|zeigt\s+(?:das|die|den)\s+(?:gleiche|selbe|dieselbe)\w*|hat\s+(?:die|das|"
             r"den)\s+(?:gleiche|selbe|dieselbe|richtige)\w*|ist\s+(?:richtig|korrekt|die\s+richtige|"
             r"der\s+richtige|das\s+richtige)|weist\s+(?:die|den|das)\s+(?:gleiche|selbe|dieselbe)\w*|trifft\s+zu",
        fits_best=r"\w{3,}t\s+(?:[^\W\d_]+\s+){0,3}?am\s+(?:besten|genauesten|engsten|meisten)|(?:[^\W\d_]+\s+){1,3}?(?:\w{3,}er|mehr)\s+(?:ist|sieht)|(?:ist|liegt|befindet\s+sich)\s+(?:\w+\s+){0,3}?(?:näher|dunkler|ähnlicher|am\s+\w+sten)|(?:\w+\s+){0,3}?(?:passt|entspricht|beschreibt|stimmt)\s+(?:\w+\s+){0,4}?(?:besser|"
                  r"am\s+besten|genau|exakt|perfekt)|(?:ist|hat)\s+die\s+(?:richtige|bessere|beste)\s+(?:wahl|antwort|lösung)|ist\s+(?:\w+\s+){0,3}?(?:am\s+\w+sten|näher|ähnlicher|"
                  r"besser)|(?:passt|trifft)\s+am\s+\w+sten",
        right=r"ja|richtig|korrekt|wahr|passt|stimmt|zutreffend|trifft\s+zu|gut",
        wrong=r"nein|falsch|inkorrekt|unwahr|passt\s+nicht|stimmt\s+nicht|nicht\b(?:\s+\w+)?|"
              r"trifft\s+nicht\s+zu|unzutreffend|ausgeschlossen|scheidet\s+aus",
        conceded=r"(?:hätte\w*|müsste\w*|würde\w*(?!\s+(?:ich|passen))|wäre\w*(?!\s+(?:die|das|der|richtig|korrekt|also)))",
    ),
    "ru": PolarityWords(
        because=r"потому\s+что|так\s+как|поскольку|ведь",
        so=r"то\s+есть|это\s+значит|а\s+значит|из\s+этого\s+следует|в\s+результате|вот\s+почему|по\s+(?:этой|этим)\s+причин\w+|исходя\s+из\s+этого|следовательно|поэтому|значит|итак|таким\s+образом|в\s+итоге|итого|отсюда|стало\s+быть|вывод|"
           r"в\s+заключение",
        but=r"но|а|однако|хотя|тогда\s+как|зато|в\s+то\s+время\s+как",
        put_aside=r"не|ни|нет|исключ(?:аем|аю|ить|ая|ены|ён|ена)|отбрасыва(?:ем|ю)|кроме|отверга(?:ю|ем)",
        is_put_aside=r"(?:(?:тоже|также|можно|сразу|явно|и|же|оба|все|были|был|была)\s+){0,3}(?:не\b|отпада\w+|"
                     r"исключ\w+|отброс\w+|неверн\w+|неправильн\w+|нельзя|отметаем|слишком)",
        beside=r"в\s+отличие\s+от|по\s+сравнению\s+с|вместо|чем|нежели|рядом\s+с|похож\w*\s+на|около|возле|"
               r"напоминает",
        at_first=r"сначала|сперва|поначалу|изначально|на\s+первый\s+взгляд|подумал\w*|казалось|"
                 r"может\s+показаться|думал\w*",
        may=r"если|может|могло|возможно|либо|между",
        leaves=r"оста[её]тся(?:\s+(?:только|лишь))?|оста[её]тся|методом\s+исключения|"
               r"единственн\w+\s+(?:оставш\w+|возможн\w+)?|оставш\w+",
        is_left=r"(?:\w+\s+)?оста[её]тся",
        names=r"символизирует|держит|несёт|носит|играет\s+на|обозначен\w*|отмечен\w*|указывает\s+на|есть|это|является|являются|выглядит|показан\w*|изображ\w+|означает|всего|будет|выбираю|соответствует|-",
        fits=r"(?:это\s+|-\s+)?недостающ\w+|продолжает|дополняет|подходит|соответствует|совпада\w+|верен|верна|верно|правильн\w+|имеет\s+(?:ту\s+же|тот\s+же|такой\s+же|такую\s+же)",
        fits_best=r"(?:лучше|точнее)\s+всего\s+\w+|(?:[^\W\d_]+\s+){0,2}?(?:ближе|темнее)|(?:лучше|точнее|больше)\s+(?:всего\s+|всех\s+)?(?:\w+\s+)?(?:подходит|соответствует|описывает|совпада\w+|похож\w*)|(?:подходит|соответствует|описывает)\s+(?:лучше|больше|точнее|наиболее)|наиболее\s+\w+|ближе",
        right=r"да|верно|правильно|верный|верная|правильный|правильная|подходит|совпадает|правда|истина",
        wrong=r"нет|неверно|неправильно|неверный|неверная|неправильный|не\s+\w+|ложь|исключ\w+|отпадает",
    ),
    "ar": PolarityWords(
        because=r"لأن\w*|حيث\s+(?:إن|أن)|بسبب",
        so=r"أي\s+أن|مما\s+يعني|نستنتج|أستنتج|ومنه|من\s+هنا|النتيجة|إذن|إذًا|إذا|لذلك|لذا|بالتالي|وبالتالي|وعليه|ومن\s+ثم|في\s+الختام|ختامًا|الخلاصة|فإن|لهذا|وبذلك|بناءً?\s+على\s+(?:ذلك|ما\s+سبق)",
        but=r"لكن|ولكن|بل|بينما|غير\s+أن|إلا\s+أن|أما",
        put_aside=r"ليس|ليست|ليسا|لا|لم|لن|غير|نستبعد|أستبعد|استبعاد|استبعدنا|عدا|باستثناء|وليس|وليست",
        is_put_aside=r"(?:(?:هو|هي|يمكن|تم|أيضا|أيضًا|كلاهما|كذلك)\s+){0,3}(?:ليس\w*|لا\s|غير\s|مستبعد\w*|استبعاد\w*|خطأ|خاطئ\w*|لم\s)",
        beside=r"بخلاف|على\s+عكس|مقارنة\s+(?:ب|مع)|بدلا\s+من|بدلًا\s+من|بجانب|خلف|قرب|يشبه|تشبه",
        at_first=r"في\s+البداية|للوهلة\s+الأولى|ظننت|اعتقدت|بدا\s+(?:لي)?|قد\s+يبدو|أولًا\s+ظننت",
        may=r"قد|ربما|إما|لعل|يمكن\s+أن|بين|إن\s+كان|إذا\s+كان",
        leaves=r"(?:و)?(?:لا\s+)?(?:ي|ت)?بقى(?:\s+(?:سوى|إلا|فقط|لدينا|لنا|خيار|الخيار))*|لم\s+يبق\s+(?:سوى|إلا)|المتبقي(?:ة)?|بالاستبعاد",
        is_left=r"هو\s+(?:الخيار\s+)?(?:الوحيد\s+)?المتبقي",
        names=r"يرمز\s+إلى|ترمز\s+إلى|يحمل|تحمل|يعني|تعني|كان|كانت|بعلامة|هو|هي|يبدو|تبدو|يظهر|تظهر|يشير|تشير|بلون|لونه|لونها|يوجد|أختار|هناك|هذا|هذه",
        fits=r"(?:هي|هو)\s+الجزء|تكمل|يكمل|يطابق|تطابق|مطابق\w*|يتطابق|تتطابق|يناسب|تناسب|هو\s+(?:الصحيح|الأصح)|هي\s+(?:الصحيحة|الأصح)|صحيح\w*|يتوافق|تتوافق",
        fits_best=r"(?:هي\s+|هو\s+)?(?:أقرب|أغمق)|(?:هو|هي)?\s*(?:الأنسب|الأفضل|الأقرب|الأكثر|الأصح|الأدق)",
        right=r"صحيح|صحيحة|صح|نعم|مطابق|مطابقة|صواب",
        wrong=r"خطأ|خاطئ|خاطئة|لا|غير\s+\w+|مستبعد|مستبعدة",
    ),
    "hi": PolarityWords(
        because=r"क्योंकि|चूँकि|चूंकि",
        so=r"यानी|अर्थात्|जिसका\s+मतलब|नतीजतन|इसका\s+मतलब|इसलिए|अतः|अत:|तो|इस\s+प्रकार|निष्कर्ष|निष्कर्षतः|इस\s+कारण|अंततः|लिहाज़ा|इससे",
        but=r"लेकिन|परंतु|परन्तु|मगर|बल्कि|जबकि|किंतु|हालाँकि|हालांकि",
        put_aside=r"न\s+तो|नहीं(?=\s*,?\s*बल्कि)",
        is_put_aside=r"(?:(?:को|में|का|की|के|रंग|आकार|भी|और|मेल|हटा|बाहर|सही)\s+){0,5}(?:नहीं|गलत|ग़लत|हटाया|हटा\s|खारिज|बाहर|असंगत)",
        beside=r"(?!)",
        at_first=r"पहले\s+मुझे\s+लगा|पहले\s+लगा|शुरू\s+में|पहली\s+नज़र\s+में|मैंने\s+सोचा|शुरुआत\s+में",
        may=r"यदि|अगर|शायद|या\s+तो",
        leaves=r"(?:केवल|सिर्फ|सिर्फ़|बस)",
        is_left=r"(?:ही\s+)?(?:बचता|बचती|शेष|बाकी|बचा|बच\s+जाता)",
        is_named=r"को?\s+चुन\w+|चुन\w+|(?:ही\s+)?(?:है|हैं|था|थी|दिखता\s+है|लगता\s+है)",
        fits=r"(?:ही\s+)?(?:गायब|लापता)|(?:सही|मेल\s+खाता|मेल\s+खाती|उपयुक्त|ठीक)|में\s+(?:\S+\s+){0,2}मेल\s+खात\w*",
        fits_best=r"(?:कैमरे\s+के\s+)?(?:ही\s+)?(?:अधिक\s+)?(?:निकट|पास|करीब)|(?:\S+\s+){0,3}?(?:ही\s+)?(?:सबसे|अधिक|ज़्यादा)\s+\S+",
        right=r"सही|हाँ|हां|ठीक|सत्य|मेल\s+खाता\s+है",
        wrong=r"गलत|ग़लत|नहीं|असत्य|मेल\s+नहीं\s+खाता",
    ),
}  # fmt: skip
"""Languages that put spaces between words, by code."""

UNSPACED = {
    "zh": PolarityWords(
        because=r"因为|因為|由于|由於",
        so="因而|从而|這意味著|这意味着|这说明|换言之|由此判断|综合来看|据此|因此|所以|综上(?:所述)?|綜上(?:所述)?|故|由此(?:可见|可知)?|总之|總之|结论|結論|可见|最终|最終|那么|于是|也就是说|得出",
        but="但是|但|而是|然而|不过|不過|而|却|可是|虽然|雖然|尽管",
        put_aside="不是|不能说|不能說|不能认为|并非|並非|绝非|不能选|不选|排除(?:了|掉)?|除了|不属于|没有选|没有?在?|不像|非",
        is_put_aside="(?:选项|選項|项|項|和|与|、|也|都|均|可以|可|被|应该?|则|的|[\u4e00-\u9fff]{0,6}?)?(?:排除|不对|不對|不正确|不正確|不符|错误|錯誤|不合适|不合適|不匹配|不一致|无法|無法|不成立|不是|不选|太|不同|偏)",
        beside="与|與|相比|比|不像|不同于|而不是|而非|旁边|像|类似",
        at_first="一开始|一開始|起初|最初|乍一看|乍看|原本|本以为|原以为|曾认为|似乎可以",
        may="(?<![最很])可能|也许|或许|如果|若|假如|要么|还是|之间|是否",
        leaves="(?:只|仅|就|僅)?(?:剩下|剩余|剩|留下|余下)(?:的)?(?:就)?(?:只有|是)?|唯一(?:的|剩下的|可能的)?(?:选项|选择)?(?:是|就是)?|排除法",
        is_left="(?:是|为)?(?:唯一)?(?:剩下|剩余|可能)的",
        names="是|为|為|属于|象征(?:着)?|隐喻|表达(?:了)?|代表|正在(?:公园里|室内|外面)?|批评|讽刺|位于|显示|表明|说明|应该是|看起来|呈现|正在|选择|选|共有|共|一共|总共|有|就是|即",
        fits="(?:选项|项)?(?:[\u4e00-\u9fff]{0,6}?)(?:与[^,.;\n]{1,14})?(?:一致|匹配|吻合|符合|相符|对应|正确|相同|一样|相似|衔接)",
        fits_best="(?:选项|项|点|才|的)?(?:离相机|离镜头|距离相机)?(?:是|就)?(?:最|更|完全|完美)",
        right="正确|正確|对|對|是|符合|匹配|一致|√|吻合|合适",
        wrong="错误|錯誤|错|錯|不对|不對|否|不是|不符(?:合)?|不匹配|不一致|不正确|排除|×|不合适|不成立",
    ),
    "ja": PolarityWords(
        names=r"全部で|合計で?|合わせて|全体で",
        because=r"(?!)",
        so="結果として|すなわち|これらのことから|このことから|総合すると|ということは|したがって|よって|ゆえに|そのため|つまり|以上より|以上から|このため|結論(?:として|は)?|従って|だから|それゆえ|ですので|なので",
        but="しかし|ですが|だが|が,|一方|ただし|けれども|けど,|ものの",
        put_aside="(?!)",
        is_put_aside="(?:と[^,.;\n]{1,3})?(?:は|も|が|を|では|じゃ|の)?(?:[^,.;\n]{0,10}?)(?:ではな|じゃな|でな|間違|誤り|違い|違う|除外|不正解|外れ|合わ(?:な|ず|ま)|合いませ|一致しな|一致しませ|一致せず|ありません|当てはまらな|当てはまりませ|消去|不適|排除)",
        beside="(?!)",
        at_first="最初は?|当初は?|初めは|一見(?:する)?(?:と)?",
        may="もし|かもしれ|どちらか|あるいは|おそらく[^,.]{0,6}か",
        leaves="残る(?:の|選択肢)?は|残った(?:の|選択肢)?は|残りは|消去法",
        is_left="(?:だけ|のみ|しか)?(?:が)?(?:残り|残る|残って)",
        is_named="を(?:批判|象徴|表し|表現|示し|意味|描い|食べ|持っ|着|弾い|演奏|使っ)|(?:の)?(?:画像|写真|絵|選択肢|ほう|方)?(?:を)?(?:です|だ(?!と思)|である|でしょう|と(?:考え|判断|言え|いえ|思われ|見られ)|になります|となります|だと(?:考え|判断)|に見え)",
        fits="(?:が|は|の方が|のほうが|も)?(?:[^,.;\n]{0,12}?)(?:一致し(?:ます|て)|一致する|合致|合います|合っています|正しい|対応し|適切|当てはまり|符合)",
        fits_best="(?:が|は|の方が|のほうが)(?:[^,.;\n]{0,6}?)(?:近い|暗い|似ている|最も|一番|より|完全に|最適)",
        right="○|〇|◯|正しい|正解|はい|一致|適切|◎|正",
        wrong="×|✕|誤り|間違い|不正解|いいえ|不一致|不適切|誤|除外",
        conceded="(?:です|ます|でした|だ|である)?が(?:[,、]|\\Z)|ものの",
    ),
    "ko": PolarityWords(
        names=r"모두|총|합쳐서?|전부",
        because=r"왜냐하면",
        so=r"이로써|따라서|이를\s*통해|그러니까|요컨대|따라서|그러므로|그래서|결론(?:적으로|은)?|즉|결국|그렇다면|종합하면",
        but="하지만|그러나|반면|지만|그런데|는데",
        put_aside="(?!)",
        is_put_aside="(?:은|는|이|가|도|를|을|와|과|의)?\\s*(?:[^,.;\n]{0,12}?)\\s*(?:아니|아닙|아닌|틀렸|틀린|오답|제외|배제|맞지\\s*않|일치하지\\s*않|다르|다릅|않습니다|않는다|소거)",
        beside="(?!)",
        at_first="처음에는?|처음엔|언뜻|얼핏",
        may="만약|아마도?\\s*\\S*\\s*(?:이?거나)|수도|혹은",
        leaves="남는\\s*(?:것은|건|선택지는|보기는)|남은\\s*(?:것은|건|선택지는|보기는)|소거법",
        is_left="(?:만|뿐|이|가)\\s*(?:남|뿐)",
        is_named="(?:입니다|이다|이에요|예요|인\\s*것|로\\s*보입니다|으로\\s*보입니다|일\\s*것|이라고)",
        fits="(?:이|가|은|는)?\\s*(?:[^,.;\n]{0,12}?)(?:일치|맞습니다|맞다|부합|들어맞|적절|적합|정답)",
        fits_best="(?:이|가|은|는)?\\s*(?:가장|더|완벽)",
        right="맞음|맞다|정답|예|일치|참|맞습니다|○|(?-i:O)(?![A-Za-z])",
        wrong="틀림|틀리다|오답|아니오|아니요|불일치|거짓|틀렸습니다|×|제외|(?-i:X)(?![A-Za-z])",
    ),
}  # fmt: skip
"""Languages without spaces between words, or with attached particles, by code."""
