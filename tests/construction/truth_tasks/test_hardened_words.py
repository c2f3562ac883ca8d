"""Hardened counts and claims: neither the numbers offered nor the words of a claim reveal the right option."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from truth_runs import TruthRun, right_text

from benchwright.construction.ground_truth.truths import CountQuestion, SpatialClaim
from benchwright.construction.ground_truth.values import RecordTruth
from benchwright.construction.tasks.counting import Counting, option_shares
from benchwright.construction.tasks.spatial_relation import SpatialRelation

pytestmark = pytest.mark.slow

COUNTS = {0: 300, 1: 2400, 2: 1500, 3: 600, 4: 420, 5: 300, 6: 200, 7: 120, 8: 90, 9: 40, 11: 25, 12: 12}


def questions(frequencies: dict[int, int]) -> list[RecordTruth[CountQuestion]]:
    """Return as many questions with each count."""
    return [
        RecordTruth(f"t:{count}/{number}", (f"{count}/{number}",), CountQuestion(question="How many?", count=count))
        for count, times in frequencies.items()
        for number in range(times)
    ]


@given(st.dictionaries(st.integers(0, 20), st.integers(1, 500), max_size=10), st.integers(3, 8))
def test_no_number_serves_more_often_than_it_is_right(frequencies: dict[int, int], reach: int) -> None:
    shares = option_shares(frequencies, reach)
    numbers = sorted(frequencies)
    possible = [four for four in combinations(numbers, 4) if four[3] - four[0] <= reach]
    assert bool(shares) == bool(possible)
    for four, share in shares.items():
        assert share > 0
        assert four[3] - four[0] <= reach
    for number in numbers:
        used = sum(share for four, share in shares.items() if number in four)
        assert used <= frequencies[number] * (1 + 1e-6)


def test_every_number_of_four_that_are_alike_rare_is_used_up() -> None:
    assert option_shares({2: 9, 3: 9, 4: 9, 5: 9}, 3) == pytest.approx({(2, 3, 4, 5): 9.0}, rel=1e-3)
    assert sum(option_shares({2: 900, 3: 9, 4: 90, 5: 9}, 3).values()) == pytest.approx(9, rel=1e-3)


def test_of_four_numbers_each_is_right_as_often_though_small_ones_are_common() -> None:
    ranks: Counter[int] = Counter()
    for seed in range(2):
        for truth in Counting().combined(questions(COUNTS), {}, seed):
            options = getattr(truth.truth, "options", None)
            if options is not None:
                assert truth.truth.count in options
                ranks[options.index(truth.truth.count)] += 1
    kept = sum(ranks.values())
    assert kept > 0.35 * 2 * sum(COUNTS.values())
    expected, allowed = kept / 4, 4 * np.sqrt(kept * 3 / 16)  # four standard deviations
    assert all(abs(ranks[rank] - expected) < allowed for rank in range(4))


def test_options_are_the_four_numbers_in_any_order_and_what_is_left_out_says_why(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    counts = {}
    for number in range(60):
        image_id = run.picture(number, 160, 140)
        counts[image_id] = (1, 1, 1, 2, 3, 4, 30)[number % 7]
        run.state(f"t:{number}", [image_id], CountQuestion(question="how many birds?", count=counts[image_id]))
    items = run.run(Counting(max_count=40))
    assert 20 <= len(items) <= 40
    for item in items:
        assert right_text(item) == str(counts[item.images[0].image_id])
        assert sorted(choice.text or "" for choice in item.choices) == ["1", "2", "3", "4"]
        assert item.attributes["mode"] == "hardened"
    reasons = {(counts[image_id], run.reason(image_id)) for image_id in counts}
    assert reasons == {(1, None), (1, "too_common"), (2, None), (3, None), (4, None), (30, "no_near_counts")} | {
        (count, "too_common") for count in (2, 3, 4) if (count, "too_common") in reasons
    }


def claim(text: str, *, true: bool, relation: str = "beside") -> SpatialClaim:
    return SpatialClaim(claim=text, relation=relation, is_true=true)


def test_a_claim_is_asked_about_only_if_it_is_true_of_one_picture_and_false_of_another(tmp_path: Path) -> None:
    answers: Counter[str | None] = Counter()
    for seed in (1, 2):
        (tmp_path / str(seed)).mkdir()
        run = TruthRun(tmp_path / str(seed), seed=seed)
        pairs: dict[str, str] = {}
        for number in range(40):
            for true in (True, False):
                image_id = run.picture(2 * number + true, 160, 140)
                text = (f"The cup {number} is beside the jug.", f"The cup {number} is beside  the jug")[true]
                run.state(f"vsr:{number}/{true}", [image_id], claim(text, true=true))
                pairs[image_id] = f"{number}/{true}"
        usual = run.picture(900, 160, 140)
        run.state("vsr:usual", [usual], claim("The cup is on the table.", true=True, relation="on"))
        items = run.run(SpatialRelation())
        assert len(items) == 40
        assert len({pairs[item.images[0].image_id].partition("/")[0] for item in items}) == 40
        for item in items:
            assert right_text(item) == ("Yes" if pairs[item.images[0].image_id].endswith("True") else "No")
        answers.update(right_text(item) for item in items)
        reasons = Counter(run.reason(image_id) for image_id in pairs)
        assert reasons == {None: 40, "counterpart_taken": 40}
        assert run.reason(usual) == "no_counterpart"
    assert min(answers["Yes"], answers["No"]) >= 24


def test_a_claim_about_one_picture_alone_is_no_counterpart_of_itself(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    image_id = run.picture(1)
    for true in (True, False):
        run.state(f"vsr:{true}", [image_id], claim("The cup is beside the jug.", true=true))
    assert run.run(SpatialRelation()) == []
    assert run.reason(image_id) == "no_counterpart"


def test_claims_may_be_matched_on_their_relation_only(tmp_path: Path) -> None:
    run = TruthRun(tmp_path)
    first, second, several = (run.picture(number) for number in range(3))
    run.state("vsr:1", [first], claim("The cup is beside the jug.", true=True))
    run.state("vsr:2", [second], claim("The cat is beside the dog.", true=False))
    run.state("vsr:3", [several], claim("The cats are beside the dog.", true=False))
    assert run.run(SpatialRelation()) == []
    assert len(run.run(SpatialRelation(matched_on="relation"))) == 1
    assert run.reason(several) == "no_counterpart"
