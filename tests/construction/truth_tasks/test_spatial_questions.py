"""Claims become questions by one rule for all relations of VSR, which moves only the verb."""

from __future__ import annotations

import pytest

from benchwright.construction.item_parts.wording.spatial_questions import (
    RELATIONS,
    question_of,
    question_table,
    read_claim,
)

REAL = [
    ("The bench is at the right side of the train.", "at the right side of", "Is the bench at the right side of the train?"),
    ("The car contains the cat.", "contains", "Does the car contain the cat?"),
    ("The cat is part of the clock.", "part of", "Is the cat part of the clock?"),
    ("The dining table is below the teddy bear.", "below", "Is the dining table below the teddy bear?"),
    ("The tv is facing away from the person.", "facing away from", "Is the tv facing away from the person?"),
    ("The person is off the keyboard.", "off", "Is the person off the keyboard?"),
    ("The pizza has as a part the cheese.", "has as a part", "Does the pizza have the cheese as a part?"),
    ("The people are near the bus.", "near", "Are the people near the bus?"),
    ("The vases contain the flowers.", "contains", "Do the vases contain the flowers?"),
    ("The cakes consist of the donuts.", "consists of", "Do the cakes consist of the donuts?"),
    ("A dog is to the left of the horse", "left of", "Is a dog to the left of the horse?"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "relation", "question"), REAL)
def test_claims_of_the_dataset_become_questions(claim: str, relation: str, question: str) -> None:
    parts = read_claim(claim, relation)
    assert parts is not None
    assert question_of(parts) == question
    clause = claim.rstrip(".").replace("has as a part the cheese", "has the cheese as a part")
    assert question_of(parts, "inverted") == f"Is it false that {clause[0].lower()}{clause[1:]}?"


@pytest.mark.parametrize(
    ("claim", "relation"),
    [
        ("The cat is behind the bed.", "under"),
        ("The cat sits on the bed.", "on"),
        ("The cat is in front of the bed.", "in front"),
        ("Is the cat on the bed?", "on"),
        ("The cat is on.", "on"),
        ("The cat is under the bed.", "has as a part"),
        ("The cats contains.", "contains"),
        ("", "on"),
    ],
)
def test_a_claim_that_the_rule_does_not_understand_makes_no_question(claim: str, relation: str) -> None:
    assert read_claim(claim, relation) is None


def test_every_relation_has_a_question_of_one_thing_and_of_several_in_both_forms() -> None:
    table = question_table()
    assert len(RELATIONS) == len(set(RELATIONS)) == 70
    assert len(table) == 2 * len(RELATIONS)
    for relation, claim, question, inverted in table:
        several = claim.startswith("The cats")
        subject, verbs = ("the cats", ("Are", "Do")) if several else ("the cat", ("Is", "Does"))
        asked = question.split(" ", 1)
        assert asked[0] in verbs
        assert asked[1].startswith(f"{subject} ")
        if relation == "has as a part":
            assert question.endswith("have the sofa as a part?")
            assert inverted.endswith(f"{'have' if several else 'has'} the sofa as a part?")
            continue
        assert question.endswith("the sofa?")
        statement = f"{claim[0].lower()}{claim[1:-1]}"
        for side in ("left of", "right of"):
            statement = (
                statement.replace(f" {side} the sofa", f" to the {side} the sofa") if relation == side else statement
            )
        assert inverted == f"Is it false that {statement}?"
        words = relation.split()[0].removesuffix("s") if asked[0] in ("Do", "Does") else relation
        assert words in question


def test_a_longer_relation_is_not_taken_for_a_shorter_one() -> None:
    on_top = read_claim("The cat is on top of the car.", "on top of")
    assert on_top is not None
    assert on_top.words == "on top of the car"
    away = read_claim("The bed is far away from the cat.", "away from")
    assert away is None
