"""Words of the drawn questions, and names of columns of options."""

from __future__ import annotations

import random
from collections.abc import Callable

LETTERS = "ABCDEFGHIJ"


THEMES: dict[str, list[str]] = {
    "Which animal stands beside the {thing} in scene {n}?": [
        "cat", "dog", "cow", "a grey heron", "goat", "two hens", "an old donkey", "hedgehog", "fox", "barn owl"],
    "What colour is the {thing} in view {n}?": [
        "red", "dark green", "blue", "yellow", "pale pink", "black and white", "orange", "violet", "brown"],
    "Scene {n}: where does the {thing} lie?": [
        "under the table", "on the shelf, left of the lamp", "behind the door", "in the basket", "next to the stove",
        "on the floor; near the window", "inside the drawer", "between two chairs"],
    "What does the sign above the {thing} say, picture no. {n}?": [
        'a word like "open"', "no entry", "O'Brien's bakery", "café", "bitte läuten", "mind the gap",
        "fresh fish, daily", "sortie", "for rent", "keep left"],
    "Who carries the {thing} (frame {n})?": [
        "the woman with the hat", "a boy", "nobody", "the man's neighbour", "a girl in red", "both of them",
        "the driver", "an elderly couple", "the nurse"],
    "In view {n}, what happens to the {thing}, and why?": [
        "it falls because it is heavy", "it is washed", "somebody paints it", "it breaks, then burns",
        "it is sold", "rain has wet it", "it rolls away", "it's being mended"],
}  # fmt: skip
COUNT_TEMPLATES = [
    "How many {thing}s can be seen in picture {n}?",
    "Count the {thing}s of scene {n}.",
    "Plate {n}: which number is written on the {thing}?",
]
LETTER_TEMPLATES = [
    "Which marked point of figure {n} lies on the {thing}?",
    "Diagram {n}: which label names the {thing}?",
]
YES_TEMPLATES = [
    "Is there a {thing} in picture {n}?",
    "Can a {thing} be seen in scene {n}?",
    "Does anybody in view {n} hold a {thing}?",
]
THINGS = ["lamp", "bicycle", "cart", "kettle", "ladder", "drum", "boat", "clock", "suitcase", "sofa", "statue",
          "parasol", "barrel", "window", "piano", "fence", "tractor", "mirror", "wheel", "tent"]  # fmt: skip
SPECIAL_TEXTS = ["None", "NA", "nan", "N/A", "NaN", "null", "none"]
EXPLANATIONS = ["It can be seen at the left.", "See the shadow, which is long.", "A is too small; B is cut off.",
                "The answer follows from the colour.", "1 of 4 people look at it."]  # fmt: skip

COLUMN_NAMES: dict[str, Callable[[int], str]] = {
    "A": lambda i: LETTERS[i],
    "option_a": lambda i: f"option_{LETTERS[i].lower()}",
    "option_A": lambda i: f"option_{LETTERS[i]}",
    "Option A": lambda i: f"Option {LETTERS[i]}",
    "opt1": lambda i: f"opt{i + 1}",
    "option1": lambda i: f"option{i + 1}",
    "option_1": lambda i: f"option_{i + 1}",
    "choice0": lambda i: f"choice{i}",
    "option_0": lambda i: f"option_{i}",
    "choice_a": lambda i: f"choice_{LETTERS[i].lower()}",
}  # fmt: skip
NUMBERED_COLUMNS = {"opt1": 1, "option1": 1, "option_1": 1, "choice0": 0, "option_0": 0}


def question_of(rng: random.Random, kind: str, count: int, n: int) -> tuple[str, list[str]]:
    """Draw a question, different for each `n`, and its options."""
    thing = rng.choice(THINGS)
    if kind in {"words", "special words"}:
        template = rng.choice(list(THEMES))
        options = rng.sample(THEMES[template], count)
        if kind == "special words":
            options[rng.randrange(count)] = rng.choice(SPECIAL_TEXTS)
    elif kind == "letters":
        template = rng.choice(LETTER_TEMPLATES)
        options = list(LETTERS[:count])
        while options == sorted(options):
            rng.shuffle(options)
    elif kind == "numbers 1-4 shuffled":
        template = rng.choice(COUNT_TEMPLATES)
        options = [str(i + 1) for i in range(count)]
        rng.shuffle(options)
    elif kind == "small counts":
        template = rng.choice(COUNT_TEMPLATES)
        low = rng.choice([0, 0, 1, 2, 3])
        options = [str(i) for i in rng.sample(range(low, low + count + 3), count)]
    elif kind == "large numbers":
        template = rng.choice(COUNT_TEMPLATES)
        options = [str(i) for i in rng.sample(range(11, 3000), count)]
    elif kind == "true/false":
        template = rng.choice(YES_TEMPLATES)
        options = rng.choice([["True", "False"], ["False", "True"], ["true", "false"]])[:]
    elif kind == "no options":
        template, options = rng.choice(YES_TEMPLATES), ["Yes", "No"]
    else:
        template = rng.choice(YES_TEMPLATES)
        options = rng.choice([["Yes", "No"], ["No", "Yes"], ["yes", "no"]])[:]
    question = template.format(thing=thing, n=n)
    ornament = rng.random()
    if ornament < 0.05:
        question = f"{question}\nLook closely."
    elif ornament < 0.1:
        question = f'{question} (Hint: "look, then count; twice")'
    elif ornament < 0.13:
        question = f"Überblick: {question}"
    return question, options


def pick(rng: random.Random, weighted: dict[str, float]) -> str:
    """Draw one of some names by their weights."""
    return rng.choices(list(weighted), weights=list(weighted.values()))[0]
