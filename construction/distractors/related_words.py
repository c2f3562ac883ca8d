"""Synonyms and more general terms for the words that occur in answers about pictures.

The list is short and our own: names that COCO, Visual Genome and the answers of VQAv2 use for one object, and the more
general names for it. A lexical database would know more, but would add unwanted senses (a `bat` is an animal, a `crane`
a bird). `second_answers` and annotators find the cases that the list misses.
"""

from __future__ import annotations

from functools import lru_cache

_SAME = """
    airplane plane aeroplane aircraft jet
    automobile car
    bathroom restroom toilet-room
    bicycle bike
    bike motorbike motorcycle scooter moped
    blue navy
    boat ship
    bow-tie bowtie
    brown tan beige
    carpet rug
    cap hat
    cell-phone cellphone phone smartphone mobile
    couch sofa settee
    cup mug
    doughnut donut
    eyeglasses glasses spectacles
    forest woods
    frisbee disc
    fridge refrigerator
    gray grey silver
    hot-dog hotdog
    laptop notebook
    lorry truck
    monitor screen display
    mouse computer-mouse
    orange-juice juice
    pink rose magenta
    pavement sidewalk
    picture photo photograph
    purple violet lavender
    purse handbag
    road street
    rock stone
    sea ocean
    sneakers trainers
    soccer football
    sunglasses shades
    television tv
    tie necktie
    trousers pants
    turquoise teal aqua cyan
    red maroon crimson
    white cream ivory
    woman lady female
    man guy male gentleman
    girl female kid
    boy male kid
    kid child
    0 zero none no
    1 one
    2 two
    3 three
    4 four
    5 five
    6 six
    7 seven
    8 eight
    9 nine
    10 ten
    11 eleven
    12 twelve
    walking strolling
    running jogging
    riding cycling
    flying soaring
    standing posing
    looking watching
"""  # phrase: allowed
"""Each line is a set of words that can describe the same picture: if one is right, none of the others is wrong."""

_WIDER = """
    person: man woman boy girl child kid baby player skater surfer rider skier snowboarder batter catcher umpire chef
    people: men women boys girls children kids players
    animal: dog cat horse cow sheep elephant bear zebra giraffe bird goat pig rabbit lion tiger monkey duck
    bird: duck eagle pigeon seagull parrot owl goose chicken hawk swan penguin crane
    vehicle: car bus truck train motorcycle bicycle bike van boat airplane
    food: pizza sandwich cake donut apple banana orange carrot broccoli salad bread fruit vegetable burger fries
    fruit: apple banana orange pear grape lemon strawberry melon peach
    vegetable: carrot broccoli lettuce tomato onion pepper cucumber
    furniture: chair couch table bed desk bench dresser
    drink: water wine beer coffee tea juice milk soda
    clothing: shirt pants jacket coat dress hat tie shoe skirt shorts
    container: bottle cup bowl vase jar box bag
    bag: backpack handbag suitcase purse
    shirt: t-shirt jersey
    building: house church tower castle barn
    plant: tree flower grass bush
    flower: rose tulip daisy lily sunflower
    metal: steel iron aluminum copper brass silver gold
    round: circle circular oval
    circle: circular oval
    square: rectangle rectangular
    rectangle: rectangular
    device: laptop phone tablet computer camera television
    computer: laptop
    sport: tennis baseball soccer skiing surfing skateboarding
    toy: doll kite ball
    kitchenware: knife fork spoon plate bowl cup
    utensil: knife fork spoon
    indoors: kitchen bathroom bedroom office
    outdoors: beach park forest street field
"""
"""Each line is a general word followed by more specific words: an answer with the general word is not wrong."""


@lru_cache(maxsize=1)
def _related() -> dict[str, set[str]]:
    related: dict[str, set[str]] = {}
    for line in _SAME.split("\n"):
        words = [word.replace("-", " ") for word in line.split()]
        for word in words:
            related.setdefault(word, set()).update(other for other in words if other != word)
    for line in _WIDER.split("\n"):
        wider, _, narrower = (part.strip() for part in line.partition(":"))
        for word in (name.replace("-", " ") for name in narrower.split()):
            related.setdefault(word, set()).add(wider)
            related.setdefault(wider, set()).add(word)
    return related


def singular(word: str) -> str:
    """Return an English noun without its plural ending, if the spelling reveals one: `boxes`, `ladies`, `cups`.

    Leaves words of three letters or fewer, and words in `ss`, `us` or `is`, unchanged.
    """
    if len(word) <= 3 or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies"):
        return f"{word[:-3]}y"
    if word.endswith(("ches", "shes", "sses", "xes", "zes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") else word


def are_related(first: str, second: str) -> bool:
    """Return whether one of two words, both normalized and without an article, may be right if the other is.

    Plural and singular count as one word.
    """
    related = _related()
    left, right = singular(first), singular(second)
    return left == right or not related.get(first, set()).union(related.get(left, set())).isdisjoint({second, right})
