"""`evaluate plan` on stored results: what it reads, prints, writes and refuses, and whether its commands run.

Facts held here: without results it gives a plan from items and clusters and a pilot whose commands run and make
everything estimable; orders, wordings, samples and readers are read from the runs that contain them, and an answer that
occurs in several runs is counted once; the commands of a drawn design ask the listed items; equal plans yield equal
bytes.
"""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from endpoint_runs import options
from scripted_model import Scripted

from benchwright.cli.main import invoke
from benchwright.evaluation.backends.baselines import constant
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.results.score import read_scores
from benchwright.evaluation.run import evaluate


@pytest.fixture
def release(bench: Any, tmp_path: Path) -> Path:
    """Forty items of two tasks, two to a picture; three in four answers are B."""
    for number in range(40):
        bench.add(
            f"question {number}",
            task=("counting", "naming")[number % 3 == 0],
            answer="A" if number % 4 == 0 else "B",
            group_keys=(f"image:{number // 2}",),
        )
    bench.release(tmp_path / "release")
    return tmp_path / "release"


def run(release: Path, out: Path, *arguments: str, model: str = "random") -> None:
    assert invoke(["evaluate", "run", str(release), "--model", model, *arguments, "--out", str(out)]) == 0


def told(capsys: pytest.CaptureFixture[str], *arguments: object) -> Any:
    capsys.readouterr()
    assert invoke(["evaluate", "plan", *map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert invoke(["evaluate", "plan", *map(str, arguments)]) == 0
    return capsys.readouterr().out


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    capsys.readouterr()
    assert invoke(["evaluate", "plan", *map(str, arguments)]) != 0
    return " ".join(capsys.readouterr().err.split())


def run_all(commands: Sequence[str]) -> None:
    for command in commands:
        program, *words = shlex.split(command)
        assert program == "benchwright"
        assert invoke(words) == 0


def effects(document: Any) -> set[str]:
    return {component["effect"] for component in document["components"]}


def test_the_least_difference_is_said_before_a_run(release: Path, capsys: Any) -> None:
    told_apart = told(capsys, release)["least_differences"]
    assert told_apart["assumed"] == {"accuracy": 0.5, "correlation": 0.5, "within_cluster": 0.2}
    assert (told_apart["discordant"], told_apart["design_effect"]) == (0.25, pytest.approx(1.2))
    [two, five, ten, *_] = told_apart["differences"]
    # (1.96 sqrt(.25) + 0.8416 sqrt(.25 - d^2)) = d sqrt(40 / 1.2) has d = .2341; of five systems z_a is 2.728, for
    # which d would be above .25, and two models that disagree on a quarter of the items differ by .25 at most
    assert (two["systems"], two["items"], two["difference"]) == (2, 40, pytest.approx(0.2341, abs=1e-4))
    assert five["difference"] is ten["difference"] is None
    assert "none: systems that disagree so rarely cannot differ" in " ".join(printed(capsys, release).split())


def test_the_least_difference_follows_what_stored_systems_disagree_on(
    release: Path, tmp_path: Path, capsys: Any
) -> None:
    for model in ("constant:A", "constant:B", "random"):
        run(release, tmp_path / "out", model=model)
    told_apart = told(capsys, release, tmp_path / "out", "--budget", "20")["least_differences"]
    assert (told_apart["pairs"], told_apart["assumed"]) == (3, None)
    assert told_apart["design_effect"] >= 1
    found = {(entry["systems"], entry["items"]): entry["difference"] for entry in told_apart["differences"]}
    assert {systems for systems, _ in found} == {2, 3, 5, 10, 20, 50}
    assert found[2, 40] < found[3, 40] < found[5, 40] < found[10, 40]
    assert found[2, 40] < found[2, 20]


def test_a_file_of_replies_cannot_be_asked_again(release: Path, tmp_path: Path, capsys: Any) -> None:
    ids = [row["item_id"] for row in pq.read_table(next((release / "data").glob("*.parquet"))).to_pylist()]
    replies = tmp_path / "theirs.jsonl"
    replies.write_text("".join(json.dumps({"item_id": item_id, "reply": "B"}) + "\n" for item_id in ids))
    assert invoke(["evaluate", "score", str(release), str(replies), "--out", str(tmp_path / "out")]) == 0
    document = told(capsys, release, tmp_path / "out", "--budget", "20")
    assert all("--model openai:NAME" in command for command in [*document["pilot"], *document["commands"]])


def test_a_plan_without_results_names_a_pilot_that_runs_and_makes_effects_estimable(
    release: Path, tmp_path: Path, capsys: Any, monkeypatch: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    document = told(capsys, release, "--width", ".2", "--model", "random")
    assert document["is_assumed"]
    assert document["score"] == 0.5
    assert document["design"] is None
    assert document["best"]["numbers"]["items"] == 40
    assert document["beyond"]["numbers"]["items"] > 40
    assert {entry["effect"] for entry in document["not_estimable"]} == {
        "orders of options", "wordings", "samples", "readers"
    }  # fmt: skip
    run_all(document["pilot"])
    after = told(capsys, release, "results", "--width", ".2")
    assert {"items", "orders of options", "wordings"} <= effects(after)
    words = shlex.split(document["pilot"][0])
    items = int(words[words.index("--limit") + 1])
    assert after["levels"] == {"items": items, "orders": 2, "wordings": 2, "samples": 1, "readers": 1}
    assert after["pilot"] == []


def test_a_drawn_design_runs_asks_the_items_that_it_lists_and_is_read_again(
    release: Path, tmp_path: Path, capsys: Any
) -> None:
    results, plan = tmp_path / "results", tmp_path / "plan"
    run(release, results, "--protocol", "shuffle:k=3")
    arguments = (release, results, "--budget", "60", "--most", "items=30", "--out", plan)
    document = told(capsys, *arguments)
    numbers = document["design"]["numbers"]
    assert document["design"]["questions"] <= 60
    assert numbers["items"] <= 30
    written = {path.name: path.read_bytes() for path in plan.iterdir()}
    assert sorted(written) == ["commands.sh", "items.jsonl", "plan.json"]
    assert json.loads(written["plan.json"]) == document
    (plan / "commands.sh").unlink()
    told(capsys, *arguments)  # the same plan, as after an interruption
    assert {path.name: path.read_bytes() for path in plan.iterdir()} == written
    commands = (plan / "commands.sh").read_text().splitlines()[2:]
    assert commands == document["commands"]
    run_all(commands)
    (folder,) = results.glob(f"*limit-{numbers['items']}*")
    asked = pq.read_table(folder / "predictions.parquet").column("item_id").to_pylist()
    listed = [json.loads(line) for line in written["items.jsonl"].splitlines()]
    assert [row["item_id"] for row in listed] == asked
    assert {row["cluster"] for row in listed} <= set(range(20))


def test_a_plan_fits_the_terminal_and_says_what_adds_most_and_whom_it_speaks_of(
    release: Path, tmp_path: Path, capsys: Any
) -> None:
    for protocol in ("shuffle:k=2", "shuffle:k=2,wording=blink"):
        run(release, tmp_path / "results", "--protocol", protocol)
    text = printed(capsys, release, tmp_path / "results", "--width", ".02")
    assert max(map(len, text.splitlines())) <= 100
    words = " ".join(text.split())
    assert "A width of 0.02 is out of reach for items like these: at least 0." in words
    assert "Items like these: the score on other items of the kind" in words
    assert "These items: the score on exactly the items of the release" in words
    assert "The largest part of the variance of this design, for items like these, comes from" in words
    assert "Not estimable: readers: the replies have only one reader" in words
    assert "80 items (the release has 40)" in words
    folded = printed(capsys, release, tmp_path / "results", "--width", ".9", "--inference", "these-items")
    command = folded.split("The design:\n")[1]
    assert shlex.split(command.replace("\\\n", ""))[:3] == ["benchwright", "evaluate", "run"]


@pytest.mark.slow
def test_samples_are_told_from_orders_and_an_answer_of_two_runs_counts_once(
    release: Path, server: Any, tmp_path: Path, capsys: Any
) -> None:
    server.behave = lambda words, attempt, handler: (
        "(A)" if handler.body.get("seed", 0) % 3 == len(words) % 3 else "(B)"
    )
    more = {"temperature": 0.7, "seed": 4}
    out = tmp_path / "results"
    evaluate(release, "openai:m", out=out, options=options(server, samples=3, **more))
    document = told(capsys, release, out)
    assert document["levels"]["samples"] == 3
    assert document["answers"] == document["as_run"]["questions"] == 120
    assert "samples" in effects(document)
    evaluate(release, "openai:m", protocol="circular", out=out, options=options(server, **more))
    evaluate(release, "openai:m", limit=10, out=out, options=options(server, **more))
    evaluate(release, "openai:m", out=out, options=options(server, **more))  # asked under circular, and with the limit
    document = told(capsys, release, out, "--width", ".5")
    assert document["answers"] == 120 + 120
    assert document["levels"]["orders"] == 3
    assert "samples" in effects(document)
    assert "--temperature 0.7" in document["commands"][0]
    assert f"--base-url {server.url}" in document["commands"][0]


def test_readers_are_those_of_the_run_and_the_robust_one(
    release: Path, tmp_path: Path, capsys: Any, predictions_file: Any, bench: Any
) -> None:
    replies = ["(B)", "It is the dog.", "The answer is B", "Not A. So B, the dog", "no idea"]
    rows = [{"item_id": item.item_id, "reply": replies[k % 5]} for k, (item, _) in enumerate(bench.items)]
    path = predictions_file(rows)
    for reader in ("robust", "mvp-bench"):
        run(release, tmp_path / "results", "--reader", reader, model=f"predictions:{path}")
    document = told(capsys, release, tmp_path / "results")
    assert document["levels"]["readers"] == 2
    assert document["answers"] == 2 * document["as_run"]["questions"] == 80
    assert {"items", "readers", "items x readers"} <= effects(document)
    assert "readers" not in {entry["effect"] for entry in document["not_estimable"]}
    assert document["readers"] == ["robust"]
    accuracy = {score.reader: score.metrics["accuracy"].value or 0 for score in read_scores(tmp_path / "results")}
    assert document["score"] == accuracy["robust"]
    assert "Another reader of the same replies moves the score by" in printed(capsys, release, tmp_path / "results")
    mean = told(capsys, release, tmp_path / "results", "--over-readers")
    assert mean["score"] == pytest.approx((accuracy["robust"] + accuracy["mvp-bench"]) / 2)
    assert mean["as_run"]["widths"]["items_like_these"] > document["as_run"]["widths"]["items_like_these"]


def test_a_judge_is_a_reader_beside_the_robust_one(bench: Any, release: Path, tmp_path: Path, capsys: Any) -> None:
    said = {item.question: "The one that barks." if k % 3 else "(B)" for k, (item, _) in enumerate(bench.items)}
    model, judge = Scripted(lambda question: said[question.text]), Scripted(lambda question: '{"verdict": "B"}', "wise")
    score = evaluate(release, model, judge=Judge(model=judge), out=tmp_path / "results")
    document = told(capsys, release, tmp_path / "results")
    assert document["readers"] == ["robust+judge:wise"]
    assert document["score"] == score.metrics["accuracy"].value
    assert document["levels"]["readers"] == 2
    assert document["of_another_reader"] > 0.1


def test_labels_of_people_are_a_part_of_the_width_that_more_labels_narrow(
    release: Path, tmp_path: Path, capsys: Any, predictions_file: Any, bench: Any
) -> None:
    replies = ["(B)", "It is the dog.", "The answer is B", "Not A. So B, the dog", "no idea"]
    rows = [{"item_id": item.item_id, "reply": replies[k % 5]} for k, (item, _) in enumerate(bench.items)]
    results, reading = tmp_path / "results", tmp_path / "reading"
    run(release, results, model=f"predictions:{predictions_file(rows)}")
    drawn = ["evaluate", "check-reading", str(results), "--release", str(release), "--n", "20", "--out", str(reading)]
    assert invoke(drawn) == 0
    with (reading / "replies.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    with (reading / "replies.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        for number, row in enumerate(table):
            writer.writerow(row | {"letter": "none" if number % 6 == 0 or "no idea" in row["reply"] else "B"})
    assert invoke(["evaluate", "check-reading", "--labels", str(reading / "replies.csv")]) == 0
    (found,) = told(capsys, release, results)["readings"]
    of_labels = found["width"] ** 2 - found["counted_width"] ** 2
    assert of_labels > 0
    assert found["width_with_twice_the_labels"] ** 2 == pytest.approx(found["counted_width"] ** 2 + of_labels / 2)
    assert f"by {found['labels']} labels of people: score {found['score']:.3f}" in " ".join(
        printed(capsys, release, results).split()
    )


def test_the_difference_of_two_systems_is_planned_on_what_both_were_asked(
    release: Path, tmp_path: Path, capsys: Any
) -> None:
    for model in ("random", "constant:B", "longest"):
        run(release, tmp_path / "results", "--protocol", "shuffle:k=2", model=model)
    arguments = (release, tmp_path / "results", "--difference", "--budget", "40")
    assert "choose two with --model" in refused(capsys, *arguments)
    document = told(capsys, *arguments, "--model", "random", "--model", "constant:B")
    assert document["is_difference"]
    assert document["systems"] == ["random less constant:B"]
    assert [shlex.split(command)[4:6] for command in document["commands"]] == [
        ["--model", "random"],
        ["--model", "constant:B"],
    ]


def test_runs_under_other_conditions_are_left_out_by_name(release: Path, tmp_path: Path, capsys: Any) -> None:
    run(release, tmp_path / "results", "--protocol", "shuffle:k=2")
    run(release, tmp_path / "results", "--protocol", "blind")
    document = told(capsys, release, tmp_path / "results")
    assert [entry["why"] for entry in document["left_out"]] == ["blind changes the conditions"]
    blind = next((tmp_path / "results").glob("*blind*"))
    assert "none of 1 result can be used" in refused(capsys, release, blind)


def test_a_store_gives_its_runs_of_the_release_and_commands_write_elsewhere(
    bench: Any, release: Path, tmp_path: Path, capsys: Any
) -> None:
    run(release, tmp_path / "results", "--protocol", "shuffle:k=2")
    bench.add("one more", answer="A")
    bench.release(tmp_path / "other")
    run(tmp_path / "other", tmp_path / "others", "--protocol", "shuffle:k=2")
    store = tmp_path / "store"
    assert invoke(["results", "merge", str(tmp_path / "others"), "--store", str(store)]) == 0
    assert "contains no run on this release" in refused(capsys, release, store)
    assert invoke(["results", "merge", str(tmp_path / "results"), "--store", str(store)]) == 0
    document = told(capsys, release, store, "--budget", "20")
    assert document["score"] == told(capsys, release, tmp_path / "results")["score"]
    assert shlex.split(document["commands"][0])[-2:] == ["--out", "results"]


def test_tasks_that_no_system_takes_are_no_part_of_the_plan(release: Path, tmp_path: Path, capsys: Any) -> None:
    specialist = replace(constant("B", BackendOptions()), name="one_task", tasks=frozenset({"naming"}))
    evaluate(release, specialist, protocol="shuffle:k=2", out=tmp_path / "results")
    document = told(capsys, release, tmp_path / "results", "--budget", "8")
    assert (document["items"], document["levels"]["items"]) == (14, 14)
    assert document["best"]["numbers"]["items"] == 8


@pytest.mark.slow
def test_system_messages_are_wordings_and_commands_have_the_options_of_the_results(
    release: Path, server: Any, tmp_path: Path, capsys: Any
) -> None:
    server.behave = lambda words, attempt, handler: "(A)" if len(words) % 3 else "(B)"
    for system in ("Be brief.", "Look closely."):
        evaluate(
            release,
            "openai:m",
            protocol="shuffle:k=2,wording=blink",
            out=tmp_path / "results",
            options=options(server, system=system, max_tokens=50),
        )
    document = told(capsys, release, tmp_path / "results", "--budget", "30", "--most", "wordings=1")
    assert document["levels"]["wordings"] == 2
    words = shlex.split(document["commands"][0])
    assert words[words.index("--protocol") + 1] in {"vanilla:wording=blink", "shuffle:k=2,wording=blink"}
    assert words[words.index("--max-tokens") + 1] == "50"
    assert words[words.index("--system") + 1] in {"Be brief.", "Look closely."}


@pytest.mark.slow
def test_tokens_of_stored_results_say_what_a_design_costs(
    release: Path, server: Any, tmp_path: Path, capsys: Any
) -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}

    def behave(words: str, attempt: int, handler: Any) -> None:
        choice = {"message": {"content": "(B)" if "1" in words else "(A)"}, "finish_reason": "stop"}
        server.say(handler, 200, {"choices": [choice], "usage": usage})

    server.behave = behave
    evaluate(release, "openai:m", out=tmp_path / "results", options=options(server))
    arguments = (release, tmp_path / "results", "--budget", "20")
    assert told(capsys, *arguments)["design"]["money"] is None
    document = told(capsys, *arguments, "--price-in", "10", "--price-out", "100")
    assert document["design"]["money"] == pytest.approx(20 * (100 * 10 + 10 * 100) / 1e6)
    assert "give both price_in and price_out" in refused(capsys, *arguments, "--price-in", "10")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--split", "nowhere"], "has no split 'nowhere'; it has test"),
        (["--most", "orders"], "--most 'orders': write one of items, orders"),
        (["--most", "items=1"], "--most 'items=1': write one of"),
        (["--score", ".7"], "leave out --score with results"),
        (
            ["--fixed", "wordings"],
            "--fixed wordings: the results show nothing about wordings (the runs have only one wording",
        ),
        (["--model", "other"], "no result of 'other' was given, only of random"),
        (["--budget", "1"], "a budget of 1 pays for fewer than 2 items"),
        (["--difference"], "a difference needs two systems, but the results contain 1: random"),
        (["--out", "plan"], "the plan has no design to write; give a --width or --budget"),
    ],
)
def test_what_cannot_be_planned_is_refused_in_words(
    release: Path, tmp_path: Path, capsys: Any, arguments: list[str], words: str
) -> None:
    run(release, tmp_path / "results", "--protocol", "shuffle:k=2")
    assert words in refused(capsys, release, tmp_path / "results", *arguments)


def test_results_of_another_release_and_folders_of_other_things_are_refused(
    bench: Any, release: Path, tmp_path: Path, capsys: Any
) -> None:
    bench.add("one more", answer="A")
    bench.release(tmp_path / "other")
    run(tmp_path / "other", tmp_path / "results", "--protocol", "shuffle:k=2")
    assert "not on the planned release" in refused(capsys, release, tmp_path / "results")
    assert "contains no results" in refused(capsys, release, tmp_path)
    taken = tmp_path / "taken"
    taken.mkdir()
    (taken / "mine.txt").write_text("mine")
    arguments = (tmp_path / "other", tmp_path / "results", "--budget", "30", "--out")
    assert "contains no plan; give another folder" in refused(capsys, *arguments, taken)
    told(capsys, *arguments, tmp_path / "plan")
    other = (*arguments[:3], "20", "--out", tmp_path / "plan")
    assert "contains another plan; give another folder with --out, or --force" in refused(capsys, *other)
    assert told(capsys, *other, "--force") == json.loads((tmp_path / "plan" / "plan.json").read_text())
    assert [path.name for path in taken.iterdir()] == ["mine.txt"]
