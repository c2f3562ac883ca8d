"""Words of closed classes in many languages, with which a reply in one language names an option in another language.

Models often answer an English question in the reader's language: "所以相机向右移动" names the option "right".
"""

from __future__ import annotations

# Words of replies. phrase: allowed
_SAME = """
left izquierda gauche links esquerda sinistra налево влево слева 左 왼쪽 يسار اليسار बाएँ बाएं बाईं
;
right derecha droite rechts direita destra направо вправо справа 右 오른쪽 يمين اليمين दाएँ दाएं
दाईं ;
red rojo roja rouge rot rote roter rotes vermelho vermelha rosso rossa красный красная красное
红色 紅色 赤色 赤い 빨간색 أحمر حمراء लाल ;
blue azul bleu bleue blau blaue blauer blaues blu синий синяя синее 蓝色 藍色 青色 青い 파란색 أزرق زرقاء
नीला नीली नीले ;
green verde vert verte grün grüne grüner grünes зелёный зелёная зелёное зеленый зеленая 绿色 綠色 緑色
초록색 녹색 أخضر خضراء हरा हरी हरे ;
yellow amarillo amarilla jaune gelb gelbe gelber gelbes amarelo amarela giallo gialla жёлтый
жёлтая жёлтое желтый желтая 黄色 黃色 黄色い 노란색 أصفر صفراء पीला पीली पीले ;
black negro negra noir noire schwarz schwarze schwarzer schwarzes preto preta nero nera чёрный
чёрная чёрное черный черная 黑色 黒色 黒い 검은색 검정색 أسود سوداء काला काली काले ;
white blanco blanca blanc blanche weiß weiße weißer weißes branco branca bianco bianca белый
белая белое 白色 白い 흰색 하얀색 أبيض بيضاء सफेद सफ़ेद ;
brown marrón marron brun braun braune brauner braunes marrom castanho marrone коричневый
коричневая коричневое 棕色 褐色 茶色 茶色い 갈색 بني بنية भूरा भूरी भूरे ;
gray grey gris grau graue grauer graues cinza grigio grigia серый серая серое 灰色 회색 رمادي رمادية
धूसर ;
spring primavera printemps frühling frühjahr весна весной 春天 春季 春 봄 الربيع ربيع वसंत ;
summer verano été sommer verão estate лето летом 夏天 夏季 夏 여름 الصيف صيف गर्मी ग्रीष्म ;
autumn fall otoño automne herbst outono autunno осень осенью 秋天 秋季 秋 가을 الخريف خريف शरद पतझड़ ;
winter invierno hiver inverno зима зимой 冬天 冬季 冬 겨울 الشتاء شتاء सर्दी शीत ;
morning mañana matin morgen manhã mattina утро утром 早上 早晨 朝 아침 الصباح صباح सुबह ;
night noche nuit nacht noite notte ночь ночью 夜晚 晚上 夜 밤 الليل ليل रात ;
"""
"""Words of equal meaning, English first; a semicolon ends each row."""

_ROWS = [frozenset(row.split()) for row in _SAME.split(";") if row.strip()]
TRANSLATED = {word: row for row in _ROWS for word in row}
"""For each word, all words with the same meaning."""

_ABOUT_THE_SAME = """
about the same ; mais ou menos a mesma cor ; mais ou menos iguais ;
aproximadamente iguais ; praticamente a mesma ; más o menos igual ; más o menos
iguales ; aproximadamente igual ; aproximadamente iguales ; à peu près la même ;
à peu près identiques ; à peu près le même ; ungefähr gleich ; etwa gleich ; in
etwa gleich ; più o meno uguali ; circa la stessa ; più o meno lo stesso ;
примерно одинаковы ; примерно одинаковые ; примерно одинаково ; примерно
одинаковый ; 大致相同 ; 差不多 ; 几乎相同 ; 基本相同 ; ほぼ同じ ; だいたい同じ ; 거의 같 ; 비슷합니다 ; متساويان
تقريبا ; نفسه تقريبا ; متشابهان تقريبا ; लगभग समान ; लगभग एक जैसा ; लगभग एक जैसे
;
"""
"""Phrases that stand for one of BLINK's options."""
ALIKE = frozenset(" ".join(phrase.split()) for phrase in _ABOUT_THE_SAME.split(";"))


def translations_of(words: str) -> frozenset[str]:
    """Return an option's folded words in other languages; empty for words outside the closed classes."""
    bare = words.removeprefix("an ").removeprefix("a ").removeprefix("the ")
    return ALIKE if bare in ALIKE else TRANSLATED.get(bare, frozenset())
