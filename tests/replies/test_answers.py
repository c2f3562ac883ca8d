"""The reader finds the letter that a reply commits to, and never guesses one.

Facts held here: every way of writing a label; the last commitment wins; a list, a hedge, a refusal and the output of a
failed program yield no letter; a label takes precedence over the option's words; words count only if they identify a
single option.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchwright.replies.answers import read_answer
from benchwright.replies.reply_text import MAX_CHARS, plain

pytestmark = pytest.mark.slow

PETS = ("a cat", "a black cat", "dog", "parrot")
TILES = (None, None)
YES_NO = ("Yes", "No")
NUMBERS = ("2", "3", "12", "2.5")
SHY = ("red", "blue", "Sorry, I can't help with it.")
FIVE = ("left", "right", "above", "below", "inside")


def read(reply: str, texts: tuple[str | None, ...] = PETS) -> tuple[str, str | None]:
    reading = read_answer(reply, [("ABCDEFGHIJ"[k], text) for k, text in enumerate(texts)])
    return reading.state, reading.letter


LETTERS = [
    # Labels and lone letters
    ("B", "B"), ("b", "B"), ("(B)", "B"), ("[C]", "C"), ("B.", "B"), ("c)", "C"), ("  D \n", "D"), ("<B>", "B"),
    ("**B**", "B"), ("__C__", "C"), ("`D`", "D"), ("$B$", "B"), ("\"B\"", "B"), ("B: a black cat", "B"),
    ("B) a black cat", "B"), ("(b) a black cat", "B"), ("C - the dog", "C"), ("B, because the fur is dark.", "B"),
    ("A because it purrs", "A"), ("# B", "B"), ("A\n\nThe whiskers give it away.", "A"),
    # Other scripts and signs
    ("Ｂ", "B"), ("（Ｃ）", "C"), ("Ⓓ", "D"), ("🅑", "B"), ("⒞", "C"), ("𝐁", "B"), ("B\u200b", "B"),
    ("答案：B", "B"), ("答案是C。", "C"), ("选D", "D"), ("我选择 (A)", "A"), ("正解はBです", "B"), ("정답: C", "C"),
    ("Ответ: D", "D"), ("La respuesta es B.", "B"), ("La bonne réponse est C.", "C"), ("Antwort: A", "A"),
    ("Resposta: (D)", "D"), ("الإجابة: B", "B"),
    # Phrases
    ("Answer: B", "B"), ("answer: b", "B"), ("The answer is (C).", "C"), ("The answer is C", "C"),
    ("The correct answer is option D.", "D"), ("The best choice would be: B", "B"), ("Final answer -> C", "C"),
    ("My guess is B", "B"), ("I choose (D) for its beak.", "D"), ("I would go with C.", "C"), ("I think it's B", "B"),
    ("I'd say it is D.", "D"), ("It is probably B.", "B"), ("Option B is correct.", "B"), ("(C) is the right one.", "C"),
    ("Option C", "C"), ("So, B.", "B"), ("Looking at the ears, it must be B.", "B"), ("**Answer:** (C) dog", "C"),
    ("### Answer\nB", "B"), ("Answer:\n\nC", "C"), ("The answer is clearly (D).", "D"),
    ("The answer is B (a black cat), not C.", "B"), ("Answer: A because it purrs", "A"),
    ("The answer to this question is C", "C"), ("ANSWER: D", "D"), ("the answer is a.", "A"),
    # Mark-up
    (r"\boxed{B}", "B"), (r"$\boxed{\text{C}}$", "C"), (r"Hence \boxed{\mathbf{(D)}}.", "D"), (r"\boxed{dog}", "C"),
    ('{"answer": "B"}', "B"), ("{'answer': 'c'}", "C"), ('```json\n{"reason": "a cat? no", "choice": "D"}\n```', "D"),
    ('{"answer": ["B"]}', "B"), ('{"answer": "dog"}', "C"), ('{"answer": {"letter": "B"}}', "B"),
    ("<answer>C</answer>", "C"), ("<answer>\n(D) parrot\n</answer>", "D"), ("I see fur. <answer>B", "B"),
    ("<think>It could be A or C.</think>B", "B"), ("maybe A</think>\n\n(C)", "C"), ("<|im_start|>B<|im_end|>", "B"),
    # The last commitment wins
    ("The answer is A. Wait, no, it's B.", "B"), ("Answer: A\n\nOn second thought: C.", "C"),
    ("The answer is A. Actually, the answer is D.", "D"), (r"\boxed{A} ... so finally \boxed{C}", "C"),
    ("A\n\nHmm, the ears are round.\n\nD", "D"), ("A and B look alike, but B is correct.", "B"),
    ("(B) The fur is dark. In contrast (A) and (C) are light.", "B"), ("The answer is (B). (A) is wrong since it is grey.", "B"),
    ("I can't be certain, but the answer is B.", "B"), ("Answer: B\n\nQuestion: What next?\nAnswer: D", "B"),
    ("A or B? B.", "B"), ("(A) is not right and (B) is not right either, leaving (C)", "C"), ("Not A. Not B. C.", "C"),
    ("Tile A's edge is bright while tile B's edge is dark. Therefore tile B is the best fit.", "B"),
    ("My final answer is C because A and B are wrong", "C"), ("Neither (A) nor (B), so (C)", "C"),
    ("Based on the image, B", "B"), ("Sure. B", "B"), ("Selected: B", "B"), ("The matching point is C.", "C"),
    ("The option that fits is C", "C"), ("Answer \u2014 B", "B"), ("B \u2013 a black cat", "B"), ("Ans. B", "B"),
    # Labels when just one is left
    ("The seam fits in (C) only.", "C"), ("(A) does not fit. (B) continues the edge.", "B"),
    ("Not option A, rather image D", "D"),
    # What the last paragraph concludes, and what a line leads up to
    ("(A) is grey.\n\n(B) is dark.\n\nTherefore, the second one (B) matches.", "B"),
    ("(A) is grey.\n\n(B) is dark.\n\nTherefore, the one that matches is:\n\n(B) the second", "B"),
    ("Point A lies on it.\n\nIt appears that:\n\n(B) B is darker\n\nThe wall at point A is white.", "B"),
    ("I look at (A) and (B).\n\n(A) is closer to it than (B).", "A"), ("Therefore, the correct choice is:\n\n(C) the dog", "C"),
    ("I compare (A) and (B).\n\nBetween the two, the second (B) is alike.", "B"),
    ("Box B is closer to the edge, while it is dark. Box A is too large.", "B"), ("Point C, on the cloth, appears to be closer than point A.", "C"),
    ("It appears that point B is closer to the camera. Point A is on the wall.", "B"),
    ("Option A is possible. Option B is the most possible choice.", "B"), ("Option C seems to be the best fit. Option D is less likely.", "C"),
    ("Option A looks odd. Option D is the most likely scenario.", "D"), ("The point that corresponds to the one in the first is C.", "C"),
    ("The most possible choice would be B. Another possible choice would be C.", "B"),
    ("The corresponding point for the reference is point B.", "B"), ("The right choice to complete the first image is (A) the cat", "A"),
    # Marks that are no letters
    ("<s> A", "A"), ("<s> C) dog</s>", "C"), ("```c\n(B)\n```", "B"), ("```\nB\n```", "B"), ("```B\n```", "B"), ("1. B", "B"), ("③ C. dog", "C"), ("④B", "B"), ("‣ D", "D"),
    # Words of an option
    ("dog", "C"), ("dogs", "C"), ("A dog.", "C"), ("It is a black cat", "B"), ("a cat", "A"), ("The answer is a dog.", "C"),
    ("Answer: A dog", "C"), ("Answer: parrot", "D"), ("This is not a dog but a parrot", "D"),
    ("I see a black cat on the sofa", "B"), ("It isn't a dog; the picture shows a parrot.", "D"),
    ("Answer: dog (C)", "C"), ("(B) dog", "B"), ("The answer is dog (B)", "B"),
    # What sentences conclude, claim or close with
    ("If I must choose, I might lean towards (C).", "C"), ("The dog sleeps and the parrot sits.\n\nThe animal that is asked about is the dog.", "C"),
    ("These feathers are characteristic of a parrot. A dog would have fur.", "D"), ("It is a dog. A parrot would be smaller.", "C"),
    ("Of the four, only option C has a snout.", "C"),
    ("I'd say (A)... no, (C) is better.", "C"), ("The answer should therefore be (D).", "D"), ("Correction: the answer is B.", "B"),
    ("- (A) wool \u274c\n- (B) silk \u274c\n- (C) felt \u2705", "C"), ("The answer is (B).\n\n| A | yes |\n| B | no |", "B"),
    ("There are feathers, and the beak is bent.\n\n(D) A parrot", "D"),
]  # fmt: skip


@pytest.mark.parametrize(("reply", "letter"), LETTERS)
def test_a_reply_that_commits_to_one_option_gives_its_letter(reply: str, letter: str) -> None:
    assert read(reply) == ("answered", letter)


NONE = [
    "", "   \n", "...", "?", "A or B", "(A) or (B)", "A, B", "A/B", "AB", "A and C", "Answer: A or B", "Answer: A, C",
    "The answer is either B or C.", "The answer is (A) a cat or (B) a black cat", "Both A and B are correct.",
    "Neither A nor B is correct.", "It could be B.\nIt could also be (C).", "Maybe (B)?", "Is the answer B?",
    "If the answer is B, the seam should fit.", "Answer: E", "E", r"\boxed{F}", '{"answer": null}',
    '{"answer": ["A", "C"]}', "A. a cat B. a black cat C. dog D. parrot", "A\nB\nC\nD", "N/A", "None of the above",
    "A cat and a dog.", "A picture of something", "The picture shows an animal.", "Vitamin C is healthy.", "Plan B failed again",
    "a cat or a dog", "hotdog", "not a dog", "B or not B", "The second picture", "C, D", "The answer isn't B", "As for (A), no. As for (B), yes.",
    "Therefore, the answer is neither.", "<think>The answer is B", "Answer: B or maybe C",
    "The answer is B. Hmm, on reflection the answer is either B or C.", "The answer is not A.", "(A) is wrong.",
    "I like (A) and (D).",
    "1. A\n2. B\n3. D", "The first is A, the second is B, and the last is D.", "(A) is grey.\n\n(B) is dark.\n\n(C) is red.",
    "C. dog\nD. parrot", "①C. dog\n②B. cat", "①B②D③A④C", "Option A: unchanged.\n\nOption B: unchanged.", "It fits (A) and (B).\n\nImages A, B, and C look alike compared to image D.",
    "Consider each option:\n\n(A) is grey.\n\n(B) is dark.", "(A) and (B) are fine.\n\nThe others are less likely:\n\n(C) is red.",
    "Option D is less likely than the others.", "Two boxes labeled A and B are seen.", "It is like (H), and (A) is like it as well.", "It is neither.\n\nWhile option B could also be a possibility, it is dark.", "If Box B fits better, then Box B would be the correct choice.",
    "```c\nint x;\n```", "B would be right if the fur were darker.", "At first one might say dog.", "(A) is on the sofa, (B) is on the mat.",
    "The dog and the parrot lie on the mat, and the cat watches them.", "The result is 7, which is not among the options.\nSo it is near to a cat.",
    "Let me look at the dog. Its fur is brown. So the fur decides it, and the tail is long.", "I see a black dog and a cat in the room",
    "Box A is darker than (B) or not.\nBox B is brighter.", "The answer is perhaps: it could be that it is B",
]  # fmt: skip


@pytest.mark.parametrize("reply", NONE)
def test_a_reply_that_commits_to_no_single_option_gives_none(reply: str) -> None:
    assert read(reply) == ("miss", None)


@pytest.mark.parametrize(
    "reply",
    [
        "Error: option B timed out", "Error code: 500 - B", "<!DOCTYPE html><b>B</b>", "Failed to obtain answer via API. B",
        "429 Too Many Requests (B)", '{"error": {"answer": "B"}}', "httpx.ReadTimeout: B",
    ],
)  # fmt: skip
def test_words_of_a_program_that_failed_are_an_error(reply: str) -> None:
    assert read(reply) == ("error", None)


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't answer that.", "I cannot determine which one it is.", "It cannot be determined from the image.",
        "There is not enough information, (B) is blurred.", "As an AI, I can't view images.", "无法确定", "申し訳ありませんが、わかりません",
        "It is not possible to tell which point is closer. While point B appears larger, that is the angle.",
        "It is impossible to definitively say, (B) is dark.", "I am unable to see the picture.", "Answer: cannot be determined", "Sorry, I don't know whether it is A or B.",
    ],
)  # fmt: skip
def test_a_reply_that_declines_is_a_refusal(reply: str) -> None:
    assert read(reply) == ("refusal", None)


@pytest.mark.parametrize(
    ("reply", "texts", "letter"),
    [
        pytest.param("The second tile, image B", TILES, "B", id="options are pictures"),
        pytest.param("Yes, there is.", YES_NO, "A", id="yes opens the reply"),
        pytest.param("No, nothing of the kind.", YES_NO, "B", id="no opens the reply"),
        pytest.param("The answer is no.", YES_NO, "B", id="no after a phrase"),
        pytest.param("No, I don't see a dog in it.", YES_NO, "B", id="no, and what is not seen"),
        pytest.param("No, I'm sorry, I can't help with that.", YES_NO, None, id="no that goes on to decline"),
        pytest.param("The second option", PETS, "B", id="an option by its place"),
        pytest.param("Option 2", ("2", "1"), None, id="a place that is another option's words"),
        pytest.param("There is no cat in it", YES_NO, None, id="no inside a sentence"),
        pytest.param("No idea", YES_NO, None, id="no idea"),
        pytest.param("yes and no", YES_NO, None, id="both"),
        pytest.param("There are 3 of them", NUMBERS, "B", id="a number"),
        pytest.param("2.5", NUMBERS, "D", id="a number inside another"),
        pytest.param("I count 2.5", NUMBERS, "D", id="a decimal does not hold its integer"),
        pytest.param("12", NUMBERS, "C", id="two digits"),
        pytest.param("3 of the 12", NUMBERS, None, id="two numbers"),
        pytest.param("Sorry, I can't help with it.", SHY, "C", id="the declining option, whole"),
        pytest.param("Sorry, I can't help with it, the picture is dark.", SHY, "C", id="the declining option, inside"),
        pytest.param("It is right below the table", FIVE, "D", id="an everyday word beside the option"),
        pytest.param("below", FIVE, "D", id="one word"),
        pytest.param("I", ("p", "q", "r", "s", "t", "u", "v", "w", "x"), "I", id="the ninth letter"),
        pytest.param("I see whales", tuple(f"{k} whales" for k in range(10)), None, id="the pronoun is no letter"),
        pytest.param("I see two whales", tuple(f"{k} whales" for k in range(10)), "C", id="a number in words"),
        pytest.param("same", ("same", "same"), None, id="equal words single nothing out"),
        pytest.param("Answer: B", ("B", "A"), "B", id="a label beats an option that is a letter"),
        pytest.param(
            "The answer is (B) False.", ("True", "False"), "B", id="a label with its own word, which could deny it"
        ),
        pytest.param(r"Hence \boxed{4-\pi}.", ("4", "4-\u03c0", "\u03c0"), "B", id="a formula is read as a whole"),
        pytest.param(r"So it is $\frac{1}{3}$.", ("1/2", "1/3"), "B", id="LaTeX of a fraction"),
        pytest.param(
            "Point A is on the wall and point B is closer to the camera.",
            ("A is closer", "B is closer"),
            "B",
            id="a claim, not a description",
        ),
        pytest.param(
            "There is a cake on one of three plates.",
            ("a cake", "a cake, a knife and three plates"),
            None,
            id="words of a longer option",
        ),
        pytest.param(
            "The adult is behind the child.",
            ("behind the adult", "in front of the adult"),
            None,
            id="the order of a relation",
        ),
        pytest.param(
            "The camera is moving to the left. More of the right side is seen.",
            ("left", "right"),
            "A",
            id="a direction, not a side",
        ),
        pytest.param(
            "The cartoon mocks how phones keep old friends apart.",
            ("Time cannot be bought with money.", "Phones keep friends apart."),
            "B",
            id="a shortened sentence",
        ),
        pytest.param(
            "The label is torn, so I don't know.",
            ("milk", "I don't know."),
            "B",
            id="the option that declines, in its words",
        ),
        pytest.param("I cannot help with that.", ("cat", "I cannot tell"), None, id="declining in words of its own"),
        pytest.param("\u56fe\u4e2d\u4e00\u5171\u67093\u53ea\u9e1f\u3002", NUMBERS, "B", id="a number before a counter"),
    ],
)
def test_options_of_every_kind_are_told_apart(reply: str, texts: tuple[str | None, ...], letter: str | None) -> None:
    assert read(reply, texts)[1] == letter


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=300))
def test_any_text_is_read_without_an_exception_and_to_a_known_letter(reply: str) -> None:
    state, letter = read(reply)
    assert (state == "answered") == (letter is not None)
    assert letter is None or letter in "ABCD"


@pytest.mark.parametrize(
    "unit", ["(A", "the answer is ", "{", "\\boxed{", "not ", "so it is ", "a or ", "<think>", "A, ", '"answer": ', "\n", "$*_`", "x:\n(A)\n", "option A is ", "①", "A: no\n", "ranking: A > B > ", "score A 10% ", "a cat, the latter ", "so A fits, ", "if A would ", "not A but B ", "dog " , "3 + ", "| A | no |\n"]
)  # fmt: skip
def test_a_reply_of_a_million_characters_is_cut_before_it_is_read(unit: str) -> None:
    """Without the cut, patterns whose work grows with the square of the length would not come to an end here."""
    reply = unit * (1_000_000 // len(unit))
    assert len(plain(reply)) <= MAX_CHARS + 1
    assert read(reply)[0] in {"miss", "answered"}


def test_a_long_reply_is_read_at_its_ends() -> None:
    assert read("blah " * 100_000 + "\nThe answer is C.") == ("answered", "C")
