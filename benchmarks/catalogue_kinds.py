"""The kinds of faults of single items that `catalogue.py` plants, each in several forms, and the findings that must
name them.

They were written from the guide's list of kinds before the rules were read, so their forms may differ from those for
which the rules were written.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from catalogue_planting import (
    Place,
    as_option,
    as_pair,
    asked,
    asked_in_two_languages,
    carries_letter,
    grey_picture,
    in_column,
    in_exif,
    in_iptc,
    in_png_text,
    in_xmp,
    misspelled,
    named_by,
    options_in_question,
    other_key,
    personal_in_picture,
    repeated_but_for,
    truncated,
    without_words,
    wrong_repeated,
)


class Kind(NamedTuple):
    """A kind of fault: its name, its planting, the kinds of findings that name it, and whether it takes words."""

    name: str
    plant: Callable[[Place], None]
    expects: frozenset[str]
    needs_words: bool = False


_EQUAL = "repeated_option options_equal_but_for_spelling"
_POINTS = "option_points_at_others options_bound_to_their_order"
_HIDDEN = "zero_width_character control_character bidirectional_control"
_PERSONAL = "personal_data"

KINDS: tuple[Kind, ...] = tuple(
    Kind(name, plant, frozenset(expects.split()), needs_words)
    for name, plant, expects, needs_words in (
        (
            "all of the above",
            as_option(
                "All of the above",
                "all of these",
                "All the above options",
                "every one of the above",
                "All options are right",
                "Alle genannten",
            ),
            _POINTS,
            True,
        ),
        (
            "both A and B",
            as_option(
                "Both {first} and {second}",
                "{first} and {second}",
                "{first} & {second} are correct",
                "both ({first}) and ({second})",
                "Either {first} or {last}",
                "sowohl {first} als auch {second}",
            ),
            _POINTS,
            True,
        ),
        (
            "none of the above, moved",
            lambda at: at.row.update(
                {
                    at.letters[0] if at.row["answer"] != at.letters[0] else at.letters[1]: at.of(
                        "None of the above",
                        "none of these",
                        "Neither of the above",
                        "Keine der genannten",
                        "none of the other options",
                    )
                }
            ),
            _POINTS,
            True,
        ),
        (
            "option points at a neighbor",
            as_option(
                "the opposite of {first}",
                "same as the previous option",
                "the option below",
                "as in {last}, but smaller",
                "the one above",
                "see option {first}",
            ),
            _POINTS,
            True,
        ),
        (
            "answer in alternative text",
            in_column("alt_text", "{right}", "A photo of {right}", "shows {right}.", "{right}, seen from the side"),
            "alt_text_names_answer",
            True,
        ),
        ("answer in EXIF", in_exif, "metadata_name_answer", True),
        ("answer in IPTC", in_iptc, "metadata_name_answer", True),
        ("answer in XMP", in_xmp, "metadata_name_answer", True),
        ("answer in PNG text", in_png_text, "metadata_name_answer", True),
        (
            "answer in the file's name",
            lambda at: at.picture(".jpg")[0].save(named_by(at)),
            "file_name_names_answer",
            True,
        ),
        (
            "answer in a hint",
            in_column(
                "hint",
                "It is {right}.",
                "The answer is {key}.",
                "Think of {right}!",
                "Hint: {right}",
                "Option {key} fits best.",
            ),
            "question_names_answer",
            True,
        ),
        (
            "answer in the id",
            in_column("id", "{slug}_{{}}", "item-{slug}-{{}}", "{{}}_answer_{key}", "{{}}-key-{key}"),
            "id_names_answer ids_tell_keys",
            True,
        ),
        (
            "answer in the question",
            in_column(
                "question",
                "{q} ({right})",
                "{right}: {q}",
                "{q} It is {right}.",
                "{q} Correct: {key}",
                "{q} [answer: {key}]",
                "Here we see {right}. {q}",
            ),
            "question_names_answer",
            True,
        ),
        ("color of a grey picture", grey_picture, "color_of_grey_picture", False),
        (
            "key contradicts explanation",
            in_column(
                "explanation",
                "The correct answer is {other}.",
                "Therefore {other} is right.",
                "So the answer is ({other}).",
                "It must be {wrong}, as the picture shows.",
                "Richtig ist {other}.",
                "Hence, option {other}.",
                "{other} is correct because everything else can be excluded.",
            ),
            "explanation_contradicts_key explanation_names_wrong_option",
            True,
        ),
        (
            "picture named that is not there",
            in_column(
                "question",
                "Compare both images. {q}",
                "In the second picture: {q}",
                "{q} Look at image 3.",
                "<image 1> <image 2> {q}",
                "Between the two photos, {q}",
                "{q} (see Figure 2)",
            ),
            "marked_picture_not_there named_picture_not_there",
            False,
        ),
        (
            "missing value as option",
            as_option("nan", "null", "None", "NaN", "#N/A", "<NA>", "undefined", "N/A"),
            "missing_value_as_option option_without_words",
            True,
        ),
        ("option carries another letter", carries_letter, "option_carries_other_letter", True),
        (
            "options miscounted",
            in_column(
                "question",
                "{q} Choose one of the {more} options.",
                "Which of the {more} answers is right? {q}",
                "{q} Answer with a number from 1 to {more}.",
                "{q} There are {more} choices.",
            ),
            "options_miscounted",
            True,
        ),
        ("option without words", without_words, "option_without_words empty_option", True),
        (
            "equal but for an article",
            as_pair(
                ("a bridge", "bridge"),
                ("the moon", "moon"),
                ("An owl", "the owl"),
                ("ein Hund", "Hund"),
                ("the red car", "a red car"),
            ),
            _EQUAL,
            False,
        ),
        (
            "equal but for a numeral",
            as_pair(
                ("Two", "2"),
                ("seven cats", "7 cats"),
                ("12", "twelve"),
                ("III", "3"),
                ("3rd", "third"),
                ("a dozen eggs", "12 eggs"),
            ),
            _EQUAL,
            False,
        ),
        (
            "equal but for a unit",
            as_pair(
                ("1 km", "1000 m"),
                ("250 g", "0.25 kg"),
                ("90 min", "1.5 hours"),
                ("50 %", "0.5"),
                ("2 litres", "2000 ml"),
                ("30 cm", "300 mm"),
                ("1 m²", "10,000 cm²"),
            ),
            _EQUAL,
            False,
        ),
        (
            "equal but for a formula",
            as_pair(
                ("2x + 3", "3 + 2x"),
                ("x^2 - 1", "(x-1)(x+1)"),
                ("1/2", "0.5"),
                ("\\frac{3}{4}", "3/4"),
                ("2(a+b)", "2a + 2b"),
                ("sqrt(16)", "4"),
                ("x·y", "xy"),
            ),
            _EQUAL,
            False,
        ),
        ("equal but for case", repeated_but_for(lambda text: text.swapcase()), _EQUAL, True),
        (
            "equal but for what nobody sees",
            repeated_but_for(lambda text: f"{text[:2]}\u200b{text[2:]}"),
            f"{_EQUAL} {_HIDDEN}",
            True,
        ),
        (
            "equal but for look-alikes",
            repeated_but_for(lambda text: text.replace("a", "\u0430").replace("o", "\u043e")),
            _EQUAL,
            True,
        ),
        ("options in the question disagree", options_in_question, "question_lists_other_options", True),
        (
            "picture file absent",
            lambda at: at.row.update(image=f"images/lost-{at.row['id']}.jpg"),
            "missing_picture",
            False,
        ),
        (
            "placeholder",
            as_option("TODO", "Option {last}", "lorem ipsum", "tbd", "xxx", "distractor 3", "[insert option]", "???"),
            "placeholder_text authors_note option_without_words",
            True,
        ),
        (
            "template braces",
            in_column(
                "question",
                "{q} {{object}}",
                "What does the {{{{thing}}}} do here?",
                "What is left of ${{name}}?",
                "Which %s is shown?",
                "What color is the <object>?",
            ),
            "template_field placeholder_text",
            False,
        ),
        (
            "author's note",
            in_column(
                "question",
                "{q} [check this]",
                "{q} (too easy?)",
                "{q} // reword",
                "NOTE: replace picture. {q}",
                "{q} -- needs review",
                "{q} (source?)",
                "{q} @Tom please verify",
            ),
            "authors_note placeholder_text",
            False,
        ),
        (
            "HTML",
            in_column("question", "<p>{q}</p>", "{q}<br/>", "{q} &nbsp;", "<b>{q}</b>", "{q} &quot;here&quot;"),
            "markup_in_text",
            False,
        ),
        (
            "mojibake",
            in_column(
                "question",
                "{q} (CafÃ© on the left)",
                "Itâ€™s asked: {q}",
                "{q} \ufffd",
                "{q} â€“ look closely",
                "Ãœber: {q}",
            ),
            "garbled_characters",
            False,
        ),
        ("key empty", in_column("answer", ""), "missing_key", False),
        (
            "key names no option",
            in_column("answer", "H", "Z", "{right} or so", "9"),
            "key_not_an_option unreadable_key",
            False,
        ),
        (
            "several keys",
            in_column("answer", "{first},{second}", "{first} and {last}", "{first}/{second}", "{first}{second}"),
            "several_keys",
            False,
        ),
        (
            "personal contact",
            in_column(
                "question",
                "{q} Write to jan.novak@seznam.cz.",
                "{q} Tel. +43 1 58858 1234",
                "{q} (call 0171 5550199)",
                "{q} Ask lena.h@web.de",
                "{q} Phone: (212) 736-5000",
            ),
            _PERSONAL,
            False,
        ),
        (
            "personal number",
            in_column(
                "question",
                "{q} IBAN DE89 3704 0044 0532 0130 00",
                "{q} Card 4111 1111 1111 1111",
                "{q} SSN 219-09-9999",
                "{q} passport no. C01X00T47",
                "{q} GB29NWBK60161331926819",
            ),
            _PERSONAL,
            False,
        ),
        ("personal data in picture", personal_in_picture, "personal_data_in_picture", False),
        (
            "right option marked",
            lambda at: at.row.update(
                {
                    at.row["answer"]: at.of(
                        "{} (correct)", "*{}", "{} ✓", "{} <-- right", "[x] {}", "{} (right answer)", "**{}**"
                    ).format(at.right)
                }
            ),
            "option_says_it_is_right mark_of_right_options authors_note",
            True,
        ),
        ("right option repeated", repeated_but_for(str), _EQUAL, True),
        (
            "wrong option repeated",
            wrong_repeated,
            _EQUAL,
            True,
        ),
        ("same question, other key", other_key, "contradicting_keys", True),
        ("question breaks off", truncated, "question_breaks_off", False),
        (
            "asks for several",
            asked(
                ("Which animals are shown? Choose two.", "a cat", "a crow", "a hen", "a goose"),
                ("Select all that apply: what lies on the table?", "a knife", "a plate", "a fork", "a cup"),
                ("Name the three colors of the flag.", "red", "white", "green", "blue"),
                ("Which of the following are in the picture?", "a lamp", "a chair", "a rug", "a vase"),
                ("Who is on the left and who is on the right?", "a boy", "a man", "a girl", "a nun"),
                ("Tick every option that is true.", "it rains", "it is night", "the shop is open", "the road is wet"),
            ),
            "asks_for_several",
            False,
        ),
        (
            "a or an tells",
            asked(
                ("The child is holding an ___.", "orange", "pear", "banana", "lemon"),
                ("The man stands beside a", "ladder", "anvil", "umbrella", "oven"),
                ("Next to the door there is an", "armchair", "table", "shelf", "lamp"),
                ("It can be described as an ______ scene.", "urban", "rural", "calm", "festive"),
            ),
            "article_tells_answer",
            False,
        ),
        ("misspelling", misspelled, "misspelled_words similar_options", False),
        (
            "gender clue, foreign",
            asked(
                ("Das Bild zeigt eine ___.", "Katze", "Hund", "Vogel", "Fisch"),
                ("Auf dem Tisch steht der ___.", "Krug", "Vase", "Lampe", "Schüssel"),
                ("En la foto se ve una", "mesa", "perro", "coche", "libro"),
                ("On voit un ___ au milieu.", "chat", "maison", "voiture", "fleur"),
                ("Nel quadro c'è una ___.", "casa", "gatto", "albero", "cavallo"),
                ("O homem segura um ___.", "livro", "bola", "garrafa", "cadeira"),
            ),
            "gender_tells_answer number_tells_answer phrase_tells_answer",
            False,
        ),
        ("asked again in another language", asked_in_two_languages, "question_asked_again", False),
    )
)
"""All kinds, in the order in which they are planted."""
