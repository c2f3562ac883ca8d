"""Questions that a picture's content cannot answer: templates in our own words for MM-SAP's six categories.

Each template has more tempting options than an item offers; the seed chooses among them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Why = Literal[
    "nonexistent_object",
    "background_information",
    "temporal_unpredictability",
    "missing_visual_information",
    "other_modality",
    "intractable_quantity",
]


class UnanswerableTemplate(NamedTuple):
    """A question about an object that boxes name.

    Args:
        why: Category, as in the paper's appendix A.2.
        things: Labels of the objects to ask about; for `nonexistent_object`, absent objects.
        ask: The question; `{thing}` is replaced by the object.
        options: Tempting options, at least four.
    """

    why: Why
    things: frozenset[str]
    ask: str
    options: tuple[str, ...]


def _things(words: str) -> frozenset[str]:
    return frozenset(word.replace("_", " ") for word in words.split())


_ANIMALS = _things("cat dog horse cow sheep elephant bear zebra giraffe bird rabbit")
_PEOPLE = _things("person man woman boy girl child")
_VEHICLES = _things("car bus truck train motorcycle bicycle boat airplane")
_FOOD = _things("pizza sandwich cake donut apple banana orange hot_dog soup salad bread coffee tea wine")
_FURNITURE = _things("chair couch bed bench dining_table table desk")
_VESSELS = _things("cup mug bottle bowl vase wine_glass glass pot")
_DEVICES = _things("laptop cell_phone tv clock camera radio keyboard book")
_COLORED = _ANIMALS | _VEHICLES | _FURNITURE | _things("umbrella backpack suitcase kite surfboard teddy_bear")
_COLORS = ("Black", "White", "Brown", "Grey", "Red", "Blue", "Green", "Yellow")
_PLACES = ("In the foreground", "In the background", "On the left", "On the right", "In the upper half")

TEMPLATES: tuple[UnanswerableTemplate, ...] = (
    UnanswerableTemplate("nonexistent_object", _COLORED, "What color is the {thing}?", _COLORS),
    UnanswerableTemplate("nonexistent_object", _COLORED, "Where in the picture is the {thing}?", _PLACES),
    UnanswerableTemplate(
        "background_information", _ANIMALS, "What is the name of the {thing}?",
        ("Oscar", "Luna", "Max", "Bella", "Charlie", "Daisy"),
    ),
    UnanswerableTemplate(
        "background_information", _PEOPLE, "In which month was the {thing} born?",
        ("January", "March", "April", "June", "August", "October", "November"),
    ),
    UnanswerableTemplate(
        "background_information", _VEHICLES | _FURNITURE | _VESSELS | _DEVICES, "Who paid for the {thing}?",
        ("The owner's parents", "An employer", "The owner", "A friend of the owner", "A neighbor"),
    ),
    UnanswerableTemplate(
        "temporal_unpredictability", _VEHICLES, "Where will the {thing} be in three hours?",
        ("In the same place", "In a garage", "In another town", "On a parking lot", "In a workshop"),
    ),
    UnanswerableTemplate(
        "temporal_unpredictability", _ANIMALS | _PEOPLE, "What did the {thing} do an hour before this moment?",
        ("Slept", "Ate a meal", "Went for a walk", "Rested in the shade", "Crossed a road"),
    ),
    UnanswerableTemplate(
        "temporal_unpredictability", _FOOD | _FURNITURE | _VESSELS | _DEVICES,
        "For how long has the {thing} been in this place?",
        ("Less than a minute", "About an hour", "Half a day", "A whole week", "Several months"),
    ),
    UnanswerableTemplate(
        "missing_visual_information", _VESSELS | _FURNITURE | _DEVICES,
        "What is written on the underside of the {thing}?",
        ("A serial number", "The maker's name", "A date", "The owner's name", "A warning"),
    ),
    UnanswerableTemplate(
        "missing_visual_information", _PEOPLE | _VEHICLES, "What lies directly behind the {thing}, out of sight?",
        ("A small bag", "A fallen branch", "A stone", "A newspaper", "A ball"),
    ),
    UnanswerableTemplate(
        "missing_visual_information", _ANIMALS | _FOOD, "What mark does the hidden side of the {thing} have?",
        ("A round spot", "A long scratch", "Two small dots", "A dark stripe", "A pale ring"),
    ),
    UnanswerableTemplate(
        "other_modality", _ANIMALS | _PEOPLE, "What sound does the {thing} make at this moment?",
        ("A quiet hum", "A loud call", "A soft sigh", "A short cough", "A long yawn"),
    ),
    UnanswerableTemplate(
        "other_modality", _FOOD | _VESSELS, "What does the {thing} smell of?",
        ("Vanilla", "Lemon", "Smoke", "Cinnamon", "Soap", "Peppermint"),
    ),
    UnanswerableTemplate(
        "other_modality", _VEHICLES | _DEVICES | _FURNITURE, "How warm does the {thing} feel to the hand?",
        ("Ice-cold", "Cool", "Lukewarm", "Warm", "Hot"),
    ),
    UnanswerableTemplate(
        "intractable_quantity", _ANIMALS | _PEOPLE, "How many hairs does the {thing} have?",
        ("About 9,000", "About 40,000", "About 80,000", "About 150,000", "About 300,000"),
    ),
    UnanswerableTemplate(
        "intractable_quantity", _VEHICLES | _FURNITURE, "How many kilograms does the {thing} weigh?",
        ("8 kilograms", "25 kilograms", "90 kilograms", "700 kilograms", "1,300 kilograms"),
    ),
    UnanswerableTemplate(
        "intractable_quantity", _VESSELS | _FOOD | _DEVICES, "How many milligrams of dust lie on the {thing}?",
        ("2 milligrams", "15 milligrams", "40 milligrams", "120 milligrams", "300 milligrams"),
    ),
)  # fmt: skip
