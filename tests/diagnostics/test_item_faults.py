"""Rules about faults of single items: each kind is found, and texts that only resemble a fault are not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from worded_items import item

from benchwright.diagnostics.item_faults.fault_rules import ItemFacts, ItemPicture
from benchwright.diagnostics.item_faults.rules import RULES, faults_of_item, faults_of_set, weight_of

FOUR = ("a fox", "a hen", "an owl", "a bee")


def facts(question: str = "What is shown?", options: Sequence[str] = FOUR, answer: str = "A", **more: Any) -> ItemFacts:
    """Return an item about one picture; `shown` and `own_id` are what is known of it besides."""
    shown, own_id = more.pop("shown", (ItemPicture("17.png"),)), more.pop("own_id", "17")
    return ItemFacts(item(own_id, question, options, answer, **more), own_id, shown)


def kinds(one: ItemFacts) -> dict[str, str]:
    """Return the severities of what the rules find in an item alone, by kind."""
    of_item = [(rule.kind, weight_of(rule, fault)[0]) for rule, fault in faults_of_item(one)]
    return dict([*of_item, *((rule.kind, weight_of(rule, fault)[0]) for rule, fault in faults_of_set([one]))])


FAULTY: list[tuple[str, str, ItemFacts]] = [
    ("explanation_contradicts_key", "high", facts(explanation="The tail tells it. So the correct answer is B.")),
    ("explanation_names_wrong_option", "medium", facts(explanation="In the grass sits a hen with its chicks.")),
    ("explanation_names_wrong_option", "medium", facts(
        "How many birds?", ("2 birds", "three birds", "5 birds"), explanation="There are 3 birds on the wire.")),
    ("explanation_names_wrong_option", "medium", facts(
        explanation="A fox may look so, and an owl has eyes like this. So it is an owl.")),
    ("option_says_it_is_right", "high", facts(options=("a fox (correct)", *FOUR[1:]))),
    ("option_says_it_is_right", "high", facts(options=("a fox", "a hen ✓", "an owl"))),
    ("repeated_option", "high", facts(options=("red", "r\u0435d", "blue"))),
    ("repeated_option", "high", facts(options=("red", "re\u200bd", "blue"))),
    ("repeated_option", "medium", facts(options=("red", "Blue", "blue."))),
    ("repeated_option", "high", facts(options=("$x^{2}+1$", "x² + 1", "x+1"))),
    ("options_equal_but_for_spelling", "high", facts(options=("Two", "2", "3"))),
    ("options_equal_but_for_spelling", "high", facts(options=("1 km", "1000 m", "3 m"))),
    ("options_equal_but_for_spelling", "medium", facts(options=("a dog", "the dog", "a cat"))),
    ("options_equal_but_for_spelling", "medium", facts(options=("ein Esel", "der Esel", "eine Kuh"))),
    ("options_equal_but_for_spelling", "medium", facts(options=("l'âne", "un âne", "une vache"))),
    ("options_equal_but_for_spelling", "high", facts(options=("sieben", "7", "8"))),
    ("options_equal_but_for_spelling", "high", facts(options=("VII", "7", "8"))),
    ("options_equal_but_for_spelling", "high", facts(options=("minus nine", "-9", "9"))),
    ("options_equal_but_for_spelling", "high", facts(options=("2,4 km", "2400 m", "24 km"))),
    ("options_equal_but_for_spelling", "high", facts(options=("5米", "500厘米", "5厘米"))),
    ("options_equal_but_for_spelling", "high", facts(options=("60°", "π/3", "π"))),
    ("options_equal_but_for_spelling", "high", facts(options=("4y - 7", "-7 + 4y", "7 - 4y"))),
    ("options_equal_but_for_spelling", "high", facts(options=("(n-2)(n+2)", "n^2 - 4", "n^2 + 4"))),
    ("options_equal_but_for_spelling", "high", facts(options=("SO2", "SO₂", "SO3"))),
    ("repeated_option", "high", facts(options=("Iamps", "lamps", "chairs"))),
    ("option_carries_other_letter", "high", facts(options=("(B) a fox", "(A) a hen", "(C) an owl"))),
    ("option_carries_other_letter", "medium", facts(options=("1. fox", "3. hen", "2. owl"))),
    ("option_carries_other_letter", "high", facts(options=("C fox", "A hen", "B owl"))),
    ("question_lists_other_options", "high", facts(
        "What is it? (A) a hen (B) a fox (C) an owl", ("a fox", "a hen", "an owl"))),
    ("question_lists_other_options", "medium", facts(
        "What is it?\nA: a fox\nB: a hen\nC: a cow", ("a fox", "a hen", "an owl"))),
    ("options_miscounted", "medium", facts("Which of these three options fits?")),
    ("options_miscounted", "medium", facts("Was ist es? Antworten Sie mit A, B oder C.")),
    ("options_miscounted", "medium", facts("What is it? Answer with A to F.")),
    ("option_without_words", "high", facts(options=("--", "a hen", "an owl"))),
    ("option_without_words", "medium", facts(options=("a hen", "…", "an owl"))),
    ("missing_value_as_option", "medium", facts("Who sits there?", ("a hen", "undefined", "an owl"))),
    ("missing_value_as_option", "low", facts(options=("a hen", "n/a", "an owl"))),
    ("asks_for_several", "medium", facts("Which two birds sit on the fence?", ("hen", "owl", "goose"))),
    ("asks_for_several", "medium", facts("Who holds the kite? What flies above?", ("a girl", "a boy", "a nun"))),
    ("asks_for_several", "medium", facts("Where does he stand, and how tall is he?", ("on a hill", "in a lake"))),
    ("asks_for_several", "medium", facts("Find the width and the height of the door.", ("12", "14", "16"))),
    ("question_breaks_off", "medium", facts("Which of the birds on the fence sits under the umbrel")),
    ("question_breaks_off", "medium", facts("hich of them is the oldest?")),
    ("options_answer_another_question", "medium", facts("How tall is the tower?", ("north", "south-east", "west"))),
    ("options_answer_another_question", "medium", facts("Which planet is it?", ("an hour", "3 minutes", "2 hours"))),
    ("authors_note", "medium", facts("What is it? <insert name from the plan>")),
    ("authors_note", "medium", facts("What is it? Source needed.")),
    ("authors_note", "medium", facts(options=("a fox (easy distractor)", "a hen", "an owl"))),
    ("authors_note", "medium", facts(options=("a fox", "another animal here", "an owl"))),
    ("option_points_at_others", "medium", facts(options=("a fox", "both A and B", "a hen", "an owl"))),
    ("option_points_at_others", "medium", facts(options=("a fox", "a hen", "Both A and B"))),
    ("option_points_at_others", "medium", facts(options=("a fox", "Either of the above", "a hen"))),
    ("option_points_at_others", "medium", facts(options=("All of the above", "a fox", "a hen"))),
    ("options_bound_to_their_order", "low", facts(options=("a fox", "a hen", "None of the above"))),
    ("missing_value_as_option", "medium", facts(options=("nan", "One", "Two"))),
    ("question_names_answer", "medium", facts("What does the red fox hold?", ("red fox", "hen", "owl"))),
    ("file_name_names_answer", "medium", facts(options=("fox", "hen"), shown=(ItemPicture("img/Fox_012.jpg"),))),
    ("id_names_answer", "medium", facts(options=("fox", "hen"), own_id="animal-fox-3")),
    ("metadata_name_answer", "medium", facts(
        options=("fox", "hen"), shown=(ItemPicture("1.jpg", {"EXIF ImageDescription": "A fox in the snow"}),))),
    ("metadata_name_answer", "medium", facts(shown=(ItemPicture("1.jpg", {"XMP description": "correct answer: A"}),))),
    ("alt_text_names_answer", "medium", facts('<img src="1.png" alt="a fox at night"> What is it?')),
    ("alt_text_names_answer", "medium", facts(attributes={"alt_text": "A fox at night."})),
    ("article_tells_answer", "medium", facts("This animal is an ___.", ("owl", "hen", "fox", "bee"))),
    ("number_tells_answer", "medium", facts("These are ___.", ("apples", "a pear", "a plum"))),
    ("tense_tells_answer", "medium", facts("What is the man doing?", ("running home", "jumped", "sleeps", "ate"))),
    ("tense_tells_answer", "medium", facts("What did she do?", ("jumped", "runs", "sleeping", "eats"))),
    ("tense_tells_answer", "medium", facts("The girl can ___.", ("jump", "ran home", "sleeping", "eating"))),
    ("tense_tells_answer", "medium", facts("The boy is ___", ("reading a map", "rode a bike", "drink tea"))),
    ("tense_tells_answer", "medium", facts("They have just ___.", ("eaten", "drink tea", "singing"))),
    ("tense_tells_answer", "medium", facts("Das Kind kann ___.", ("ein Lied singen", "gelacht", "sang laut"))),
    ("tense_tells_answer", "medium", facts("Elle vient de ___.", ("tomber", "tombée", "tombait", "tombant"))),
    ("tense_tells_answer", "medium", facts("La ragazza sta ___.", ("leggendo un libro", "letto", "correre"))),
    ("gender_tells_answer", "medium", facts("Hier sieht man eine ___.", ("Wanduhr", "Apfelbaum", "Zelt"))),
    ("gender_tells_answer", "medium", facts("Il y a un grand ___ dans le jardin.", ("sapin", "fontaine", "statue"))),
    ("gender_tells_answer", "medium", facts("En la mesa hay una ___.", ("manzana", "plátano", "queso"))),
    ("number_tells_answer", "medium", facts("Die Früchte auf dem Teller sind ___.", ("Birnen", "ein Apfel"))),
    ("number_tells_answer", "medium", facts("Hay muchas ___ en el cielo.", ("nubes", "una estrella", "un avión"))),
    ("number_tells_answer", "medium", facts("The windows ___ open.", ("are", "is", "has"))),
    ("number_tells_answer", "medium", facts("On the shelf stands a single tall", ("vase", "cups", "plates"))),
    ("tense_tells_answer", "medium", facts("By noon the fog will", ("lift", "lifted", "lifting"))),
    ("gender_tells_answer", "medium", facts("Auf dem Schrank liegt eine", ("Wanduhr", "Apfelbaum", "Zelt"))),
    ("number_tells_answer", "medium", facts("Which of them are wet? They are ___.", ("leaves", "a leaf", "one twig"))),
    ("placeholder_text", "medium", facts("TODO: ask for the animal")),
    ("placeholder_text", "medium", facts(options=("a fox", "option text here", "a hen"))),
    ("placeholder_text", "medium", facts(options=("a fox", "???", "a hen"))),
    ("placeholder_text", "medium", facts("nan")),
    ("placeholder_text", "medium", facts("Who sits on the roof? null")),
    ("placeholder_text", "medium", facts(options=("a hen", "Answer 2", "an owl"))),
    ("authors_note", "medium", facts("What is it? [please verify the key]")),
    ("authors_note", "medium", facts(options=("a hen (too obvious?)", "a fox", "an owl"))),
    ("authors_note", "medium", facts("WIP: What sits on the roof?")),
    ("authors_note", "medium", facts("@tom please check: what sits on the roof?")),
    ("authors_note", "medium", facts(options=("a hen - TBC", "a fox", "an owl"))),
    ("authors_note", "medium", facts(options=("a hen (still too easy)", "a fox", "an owl"))),
    ("options_equal_but_for_spelling", "high", facts(options=("b = 4a", "4a = b", "a = 4b"))),
    ("options_equal_but_for_spelling", "high", facts(options=("t > 7", "7 < t", "t < 7"))),
    ("options_equal_but_for_spelling", "high", facts(options=("0.25n", "n/4", "4n"))),
    ("options_equal_but_for_spelling", "high", facts(options=("mv", "m*v", "m/v"))),
    ("authors_note", "medium", facts(options=("a hen // drop this", "a fox", "an owl"))),
    ("authors_note", "medium", facts("Was ist es? (bitte überarbeiten)")),
    ("question_breaks_off", "medium", facts("Where is the owl sitting on the")),
    ("question_breaks_off", "medium", facts("A hen stands there. Which animal is between it and")),
    ("question_breaks_off", "medium", facts("Who?")),
    ("options_answer_another_question", "medium", facts("How many owls are there?", ("red", "dark blue", "green"))),
    ("options_answer_another_question", "medium", facts("Which country is largest?", ("Yes", "No"))),
    ("options_answer_another_question", "medium", facts("Is the lamp on?", ("Friday", "Sunday", "Monday"))),
    ("template_field", "medium", facts("Where is the {object}?")),
    ("template_field", "medium", facts("Where is the {{ object }}?")),
    ("template_field", "medium", facts("Is this %s?")),
    ("template_field", "medium", facts("Where is the [ANIMAL_NAME]?")),
    ("template_field", "medium", facts("Where is $ANIMAL?")),
    ("template_field", "medium", facts(options=("a fox", "__DISTRACTOR_3__", "a hen"))),
    ("garbled_characters", "medium", facts(options=("caf√©", "bar"))),
    ("garbled_characters", "medium", facts(options=("cafÃ©", "bar"))),
    ("garbled_characters", "medium", facts("What is the dogâ€™s name?")),
    ("garbled_characters", "medium", facts("What is the dog\ufffds name?")),
    ("garbled_characters", "medium", facts("РџСЂРёРІРµС‚?")),
    ("markup_in_text", "low", facts("What is<br>shown?")),
    ("markup_in_text", "low", facts("Salt &amp; pepper?")),
    ("zero_width_character", "low", facts("What is\u200b shown?")),
    ("personal_data", "medium", facts("Who has the address anna.berg@mail-haus.de?")),
    ("personal_data", "medium", facts(options=("DE89 3704 0044 0532 0130 00", "none"))),
    ("personal_data", "medium", facts(options=("4111 1111 1111 1111", "none"))),
    ("personal_data", "medium", facts("Write to a.berg [at] mail-haus [dot] de!")),
    ("personal_data", "medium", facts("P<FINBERG<<ANNA<MARIA<<<<<<<<<<<<<<<")),
    ("personal_data", "medium", facts("Call +49 30 901820 now?")),
    ("personal_data", "medium", facts("Ring (555) 123-4567?")),
    ("personal_data", "medium", facts("Whose passport no. C01X00T47 is it?")),
    ("personal_data_in_picture", "medium", facts(shown=(ItemPicture("1.png", text=("Tel: 030 / 901820",)),))),
    ("marked_picture_not_there", "high", facts("Is <image 2> darker?")),
    ("marked_picture_not_there", "high", facts(options=("<image 1>", "<image 2>"))),
    ("named_picture_not_there", "medium", facts("What is to be seen in the second picture?")),
    ("named_picture_not_there", "medium", facts("What has changed between the two images?")),
    ("named_picture_not_there", "medium", facts("Was zeigt das dritte Bild?")),
    ("named_picture_not_there", "medium", facts("第三张图里有什么？")),
    ("named_picture_not_there", "medium", facts("Look at the first of the three images: what is it?")),
    ("named_picture_not_there", "low", facts("What does the second image in the top row show?")),
    ("color_of_grey_picture", "medium", facts(
        "What color is the car?", ("red", "blue"), shown=(ItemPicture("1.png", is_grey=True),))),
]  # fmt: skip


@pytest.mark.parametrize(
    ("kind", "severity", "one"), FAULTY, ids=[f"{kind}-{n}" for n, (kind, _, _) in enumerate(FAULTY)]
)
def test_a_faulty_item_is_found(kind: str, severity: str, one: ItemFacts) -> None:
    assert kinds(one).get(kind) == severity


SOUND: list[ItemFacts] = [
    facts(explanation="It has a bushy tail. An owl would have feathers, so the answer is A."),
    facts("Which sample is warmer?", ("sample A", "sample B"), "B", explanation="Sample B is warmer than sample A."),
    facts(options=("f(x+1)", "f(x)+1", "f(x)-1", "-f(x)")),
    facts(options=("[1, 2)", "(1, 2]", "(1, 2)", "[1, 2]")),
    facts(options=("Co", "CO", "C")),
    facts(options=("AA", "Aa", "aa")),
    facts("Which shows the title rightly?", ("The red Fox", "The Red Fox")),
    facts("Which fraction is in lowest terms?", ("1/2", "2/4", "3/6")),
    facts("Which two of the marked points are closer?", ("A and B", "B and C", "A and C")),
    facts("Which point is closer?", ("point A", "point B", "both A and B")),
    facts("Are the two sides equal?", ("Equal", "Not equal")),
    facts("Is the fox or the hen larger?", ("the fox", "the hen")),
    facts("What does it say?", ("No correct answer", "a fox", "a hen")),
    facts("What is $\\frac{a}{b}$ if $x^{2}$ and {1, 2} hold?", ("2√{3}", "{a, b}", "x_{n}")),
    facts("Wie heißt das Café in Ägypten?", ("Größe", "Ça va", "naïve")),
    facts("Кто это?", ("лиса", "сова", "Рим")),
    facts("¿Qué es √π ≥ 2?", ("sí", "Ñandú", "±2 °C")),
    facts("Is 3 < 5 and 7 > 2, and a<b?", ("yes <3", "no")),
    facts("How many pixels have 1024 x 768 x 3 channels in 1990-2000?", ("2359296", "10.1038/s41586-020-2649-2")),
    facts("What is the ISBN?", ("978-3-16-148410-0", "1234 5678 9012 3456", "192.168.100.200")),
    facts("Who is user@example.com?", ("nobody", "@somebody")),
    facts("What does the first image show?"),
    facts("What is the second sign?", ("a 2nd image of Rome", "none")),
    facts("Is the value of x in the image 5?", ("so it is", "it is not")),
    facts("What color is the car?", ("black", "white"), shown=(ItemPicture("1.png", is_grey=True),)),
    facts("What color is the car?", ("red", "blue"), shown=(ItemPicture("1.png", is_grey=False),)),
    facts(options=("train", "bus"), shown=(ItemPicture("train2014/000000012345.jpg", {"EXIF Model": "Fox"}),)),
    facts("This animal is a(n) ___.", ("owl", "hen", "fox", "bee")),
    facts("What is the man doing?", ("running", "jumping", "sleeping")),
    facts("These are ___.", ("apples", "pears", "a plum")),
    facts("La imagen muestra ___.", ("una mesa", "un gato", "un libro")),
    facts("Das zeigt ___ im Garten.", ("Katze", "Hund", "Pferd")),
    facts("Die Farbe der ___ ist blau.", ("Tasse", "Teller", "Buch")),
    facts("What are the chairs made of?", ("Steel bars", "wood", "stone")),
    facts("The cats ___ there.", ("are", "were", "is")),
    facts("What is on the list?", ("TODO list", "(draft beer)", "[sic] a fox")),
    facts("Which is it?", ("Option A", "Option B", "Option C")),
    facts("What ends the sentence?", (".", "?", "!", "a comma")),
    facts("Which two birds sit on the fence?", ("hens and owls", "geese and hens", "owls and geese")),
    facts("Which river, which once flooded the town, is it?", ("Elbe", "Oder", "Main")),
    facts("Which birds are on the fence?", ("hens", "owls", "geese")),
    facts("Which of the flowers on the wall is the bellis perennis", ("red", "blue")),
    facts("What is the slope?", ("1", "0", "undefined")),
    facts("Which key is it in?", ("A minor", "C minor", "B minor")),
    facts("Which vitamin is it?", ("A. fox", "B. hen", "C. owl")),
    facts("What is it? (A) a fox (B) a hen (C) an owl (D) a bee", ("A fox.", "a hen", "an owl", "a bee")),
    facts("Which of the three options fits?", ("red", "blue", "green", "None of these")),
    facts("In triangle (A, B, C), which side is longest?", ("3 cm", "4 cm", "5 cm", "6 cm")),
    facts("Which factored form is it?", ("(x-2)(x+2)", "x^2-4", "x^2+4")),
    facts(options=("a × b", "b × a", "a + b")),
    facts("Which article is right?", ("der See", "die See", "das See")),
    facts("Welches ist es?", ("der See", "die See", "ein Berg")),
    facts(options=("AB", "BA", "AC")),
    facts(options=("ab", "ba", "ac")),
    facts(options=("t > 7", "7 > t", "t = 7")),
    facts("Which note (if any) is too high?", ("the draft (of a ship)", "the first", "@home")),
    facts("When should they come?", ("On a Saturday", "On a Friday")),
    facts("How many are there?", ("None", "A few", "Many")),
    facts("The owl sits on the", ("roof", "lamp")),
    facts("The cat is ___.", ("black", "sleeping", "hungry")),
    facts("Was zeigt das zweite Schild?", ("ein Bild", "zwei Fotos")),
    facts("What is the role of the man?", ("The man is a cook.", "The man is running to his friends.")),
]


@pytest.mark.parametrize("one", SOUND, ids=range(len(SOUND)))
def test_a_sound_item_is_not_accused(one: ItemFacts) -> None:
    assert kinds(one) == {}


def in_set(rows: Sequence[ItemFacts]) -> dict[str, tuple[str, int]]:
    """Return severity and number of items of what the rules over a set find, by kind."""
    return {rule.kind: (weight_of(rule, fault)[0], len(fault.items)) for rule, fault in faults_of_set(rows)}


def _rows(number: int, **made: Any) -> list[ItemFacts]:
    """Return items with keys in random order; functions of `made` change them by number and letter."""
    keys = "BADCCABDDBACABDCBDACDCAB" * (number // 24 + 1)
    rows = []
    for n, key in zip(range(number), keys, strict=False):
        options = [f"{word} {n}" for word in ("fox", "hen", "owl", "bee")]
        fields: dict[str, Any] = {
            "options": options,
            "answer": key,
            "own_id": f"q{n}",
            "shown": (ItemPicture(f"{n}.png"),),
        }
        rows.append(
            facts(f"What is in place {n}?", **(fields | made["change"](n, key, list(options)) if made else fields))
        )
    return rows


def _with(options: list[str], key: str, text: str) -> list[str]:
    options["ABCD".index(key)] = text
    return options


def test_a_sound_set_is_not_accused() -> None:
    assert in_set(_rows(48)) == {}


@pytest.mark.parametrize(
    ("kind", "severity", "change"),
    [
        ("mark_of_right_options", "high", lambda n, key, options: {"options": _with(options, key, f"fox {n} ")}),
        ("one_text_always_right", "high", lambda n, key, options: {"options": _with(options, key, "none of them")}),
        ("keys_in_turn", "medium", lambda n, key, options: {"answer": "ABCD"[n % 4]}),
        ("keys_in_turn", "medium", lambda n, key, options: {"answer": "ABCD"[n // 12]}),
        ("one_text_never_right", "medium", lambda n, key, options: {"options": [*options, "something else"]}),
        ("right_option_by_alphabet", "medium", lambda n, key, options: {
            "options": _with([f"{word} {n}" for word in ("hen", "gnu", "owl", "fox")], key, f"ape {n}")}),
        ("keys_by_category", "medium", lambda n, key, options: {"category": key if n % 9 else "A"}),
        ("file_names_tell_keys", "high", lambda n, key, options: {"shown": (ItemPicture(f"{n}_{key}.png"),)}),
        ("ids_tell_keys", "high", lambda n, key, options: {"own_id": f"{n}-{'ABCD'.index(key) + 1}"}),
        ("right_option_out_of_order", "medium", lambda n, key, options: {
            "options": _with([str(10 * place + n + 100) for place in range(1, 5)], key, "1" if key in "CD" else "999")}),
    ],
)  # fmt: skip
def test_what_a_whole_set_tells_is_found(kind: str, severity: str, change: Any) -> None:
    found = in_set(_rows(48, change=change))
    assert kind in found
    assert found[kind][0] == severity
    assert found[kind][1] >= 30


def test_a_few_items_without_a_picture_are_found() -> None:
    rows = _rows(40)
    assert in_set([*rows, facts("What is missing?", own_id="bare", shown=None)])["picture_not_named"] == (
        "medium",
        1,
    )
    elsewhere = facts(own_id="b", shown=None, attributes={"images": "1.png+2.png"})
    assert "picture_not_named" not in in_set([*rows, elsewhere])
    assert "picture_not_named" not in in_set([*rows, *(facts(own_id=f"b{n}", shown=None) for n in range(20))])


def test_explanations_of_another_order_are_one_finding() -> None:
    rows = [facts(answer="A", own_id=f"q{n}", explanation="So the correct answer is B.") for n in range(12)]
    found = in_set(rows)
    assert found["explanations_of_another_order"] == ("medium", 12)
    assert "explanation_contradicts_key" not in found


def test_each_kind_has_one_rule_with_a_text_for_the_pages() -> None:
    assert len({rule.kind for rule in RULES}) == len(RULES)
    assert all(rule.what and rule.what[0] != " " and not rule.what.endswith(".") for rule in RULES)
