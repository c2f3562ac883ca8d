"""Models on this machine: batched replies, most likely options, the hash of the weights, and too little memory."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scripted_model import Scripted
from tiny_vlm import make_lm, make_vlm

from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.evaluation.backends import local_models, local_weights
from benchwright.evaluation.backends.base import BackendContext, parse_model
from benchwright.evaluation.backends.options import BackendOptions
from benchwright.evaluation.judging.judge import Judge
from benchwright.evaluation.prompting.question import Question, Reply, question_of
from benchwright.evaluation.run import evaluate

pytest.importorskip("torch")
pytest.importorskip("transformers")
pytestmark = [pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning"), pytest.mark.slow]
RNG = np.random.default_rng(3)


@pytest.fixture(scope="module")
def vlm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_vlm(tmp_path_factory.mktemp("models") / "tiny-vlm")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def fill(bench: Any, count: int = 5) -> None:
    """Add items with one, two and three pictures, of unequal sizes, in turn."""
    for number in range(count):
        pictures = [RNG.integers(0, 256, (20 + number, 30 + k, 3), dtype=np.uint8) for k in range(1 + number % 3)]
        bench.add(f"question {number}" * (1 + number), pictures=pictures, options=("a cat", "dog", "parrot on a roof"))


def asked(release: Any) -> list[Question]:
    return [question_of(released) for released in release.items()]


def replies(model: str, questions: list[Question], options: BackendOptions, log: Path | None = None) -> list[Reply]:
    context = BackendContext(release_id="r", content_id="c", item_ids=frozenset, log_folder=log)
    return list(parse_model(model, options).answer(questions, context))


def lines(path: Path, kind: str) -> list[dict[str, Any]]:
    entries = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    return [entry for entry in entries if entry.get("kind") == kind]


def test_replies_in_batches_are_those_of_one_by_one(bench: Any, vlm: Path, tmp_path: Path) -> None:
    fill(bench)
    questions = asked(bench.release(tmp_path / "release"))
    together, alone = (
        replies(f"transformers:{vlm}", questions, BackendOptions(max_tokens=6, batch_size=size)) for size in (4, 1)
    )
    assert [reply.item_id for reply in together] == [question.item_id for question in questions]
    assert together == alone
    assert len({reply.text for reply in together}) > 1
    assert all(reply.tokens is not None and 1 <= reply.tokens.completion <= 6 for reply in together)


def test_a_reply_depends_on_the_picture(bench: Any, vlm: Path, tmp_path: Path) -> None:
    for shade in (0, 255):
        bench.add("the same", pictures=[np.full((32, 32, 3), shade, dtype=np.uint8)])
    questions = asked(bench.release(tmp_path / "release"))
    replies(f"likelihood:{vlm}", questions, BackendOptions(), tmp_path / "log")
    dark, bright = (entry["scores"] for entry in lines(tmp_path / "log" / "replies.jsonl", "reply"))
    assert dark.keys() == bright.keys() == {"A", "B", "C"}
    assert dark != bright


def test_the_likeliest_option_is_the_one_with_the_highest_mean_log_probability(
    bench: Any, vlm: Path, tmp_path: Path
) -> None:
    """Every option's score is worked out again here, token by token and without batches."""
    import torch
    from PIL import Image
    from transformers import AutoModelForImageTextToText, AutoProcessor

    from benchwright.evaluation.prompting.prompts import vanilla
    from benchwright.images import decode_rgb

    fill(bench, 3)
    questions = asked(bench.release(tmp_path / "release"))
    found = replies(f"likelihood:{vlm}", questions, BackendOptions(batch_size=3), tmp_path / "log")
    scores = {entry["item_id"]: entry["scores"] for entry in lines(tmp_path / "log" / "replies.jsonl", "reply")}
    processor, model = AutoProcessor.from_pretrained(vlm), AutoModelForImageTextToText.from_pretrained(vlm).eval()
    for question, reply in zip(questions, found, strict=True):
        parts = vanilla(question)
        prompt = "user: " + "".join(p if isinstance(p, str) else "<image>" for p in parts) + "\nassistant: "
        pictures = [Image.fromarray(decode_rgb(p.data)) for p in parts if not isinstance(p, str)]
        expected = {}
        for choice in question.choices:
            ids = processor(text=[prompt + choice.text], images=[pictures], return_tensors="pt")
            with torch.inference_mode():
                steps = torch.log_softmax(model(**ids).logits[0].double(), dim=-1)
            option = list(choice.text.encode())  # a token a byte
            start = ids["input_ids"].shape[1] - len(option)
            at = [float(steps[start + k - 1, ids["input_ids"][0, start + k]]) for k in range(len(option))]
            expected[choice.key] = sum(at) / len(option)
        assert scores[question.item_id] == pytest.approx(expected, abs=1e-4)
        assert reply.text == f"({max(expected, key=expected.__getitem__)})"


def test_options_that_are_pictures_are_scored_by_their_letters(bench: Any, vlm: Path, tmp_path: Path) -> None:
    tiles = [RNG.integers(0, 256, (16, 16 + k, 3), dtype=np.uint8) for k in range(3)]
    bench.add("Which fits?", pictures=tiles, options=(1, 2), answer="A")
    score = evaluate(bench.release(tmp_path / "release"), f"likelihood:{vlm}")
    assert (score.asked, score.miss, score.error) == (1, 0, 0)


def test_what_the_log_answers_loads_no_model(
    bench: Any, vlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(bench, 3)
    release = bench.release(tmp_path / "release")
    settings = {"out": tmp_path / "out", "options": BackendOptions(max_tokens=4)}
    score = evaluate(release, f"transformers:{vlm}", **settings)
    monkeypatch.setattr(local_models, "load", lambda *_, **__: pytest.fail("the model was loaded"))
    assert evaluate(release, f"transformers:{vlm}", **settings) == score
    assert score.model == "transformers:tiny-vlm"
    assert score.usage is not None
    assert score.usage.replies == 3


def test_other_weights_are_other_settings_and_are_asked_anew(bench: Any, vlm: Path, tmp_path: Path) -> None:
    fill(bench, 1)
    release = bench.release(tmp_path / "release")
    other = make_vlm(tmp_path / "other" / "tiny-vlm", seed=1)
    first, second = (
        evaluate(release, f"transformers:{one}", out=tmp_path / "out", options=BackendOptions(max_tokens=4))
        for one in (vlm, other)
    )
    assert first.settings["backend"]["weights"] != second.settings["backend"]["weights"]
    assert len(lines(tmp_path / "out" / "transformers-tiny-vlm" / "replies.jsonl", "reply")) == 2


def test_batches_are_halved_until_memory_suffices(
    bench: Any, vlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import torch

    fill(bench, 1)
    for _ in range(7):
        bench.add("more", pictures=[RNG.integers(0, 256, (20, 20, 3), dtype=np.uint8)])
    questions = asked(bench.release(tmp_path / "release"))
    sizes = []
    generate = local_models.generate

    def scarce(loaded: Any, prompts: Any, max_tokens: int) -> Any:
        sizes.append(len(prompts))
        if len(prompts) > 3:
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 20.00 GiB")
        return generate(loaded, prompts, max_tokens)

    monkeypatch.setattr(local_models, "generate", scarce)
    found = replies(f"transformers:{vlm}", questions, BackendOptions(max_tokens=2, batch_size=8))
    assert sizes == [8, 4, 2, 2, 2, 2]
    assert all(reply.error is None for reply in found)


@pytest.mark.parametrize(
    ("argument", "settings", "words"),
    [
        ("", {}, "needs a folder or a name of the hub"),
        ("./nowhere", {}, "folder './nowhere' does not exist"),
        ("no model name", {}, "does not exist"),
        ("{vlm}", {"temperature": 0.5}, "decode greedily"),
        ("{vlm}", {"top_p": 0.5}, "decode greedily"),
    ],
)
def test_a_model_that_cannot_be_run_is_refused_at_once(
    vlm: Path, argument: str, settings: dict[str, Any], words: str
) -> None:
    with pytest.raises(BenchwrightError, match=words):
        parse_model(f"transformers:{argument.format(vlm=vlm)}", BackendOptions(**settings))


def test_pickled_weights_are_not_loaded(bench: Any, vlm: Path, tmp_path: Path) -> None:
    fill(bench, 1)
    folder = tmp_path / "pickled"
    folder.mkdir()
    for path in vlm.iterdir():
        if path.suffix != ".safetensors":
            (folder / path.name).write_bytes(path.read_bytes())
    (folder / "pytorch_model.bin").write_bytes(b"\x80\x04")
    with pytest.raises(BenchwrightError, match="pickled weights are not loaded"):
        evaluate(bench.release(tmp_path / "release"), f"transformers:{folder}")


@pytest.mark.parametrize("settings", [{"device": "nowhere"}, {"dtype": "float7"}, {"dtype": "load"}])
def test_a_device_or_kind_of_number_that_is_none_is_refused(
    bench: Any, vlm: Path, tmp_path: Path, settings: dict[str, str]
) -> None:
    fill(bench, 1)
    with pytest.raises(BenchwrightError, match=r"'nowhere' is not a device|is not a numeric type"):
        evaluate(bench.release(tmp_path / "release"), f"transformers:{vlm}", options=BackendOptions(**settings))


def test_a_model_of_the_hub_that_cannot_be_fetched_is_a_missing_prerequisite(
    bench: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import huggingface_hub.constants

    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(huggingface_hub.constants, "HF_HUB_CACHE", str(tmp_path / "cache"))
    fill(bench, 1)
    with pytest.raises(PrerequisiteError, match="could not be fetched from the hub"):
        evaluate(bench.release(tmp_path / "release"), "transformers:nobody/nothing@1234")


def test_a_model_that_needs_another_package_is_a_missing_prerequisite(
    bench: Any, vlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As of Qwen2-VL where torchvision is not installed."""

    def lacks(*_: Any, **__: Any) -> None:
        raise ImportError("\nQwen2VLVideoProcessor requires the Torchvision library but it was not found")

    monkeypatch.setattr("transformers.AutoProcessor.from_pretrained", lacks)
    fill(bench, 1)
    with pytest.raises(PrerequisiteError, match=r"tiny-vlm cannot be loaded: .* requires the Torchvision library"):
        evaluate(bench.release(tmp_path / "release"), f"transformers:{vlm}")


def test_a_model_of_words_reads_replies_and_answers_without_pictures_only(bench: Any, tmp_path: Path) -> None:
    fill(bench, 2)
    release, words_only = bench.release(tmp_path / "release"), make_lm(tmp_path / "tiny-lm")
    with pytest.raises(BenchwrightError, match="takes only words; ask it without pictures"):
        evaluate(release, f"transformers:{words_only}")
    options = BackendOptions(max_tokens=4)
    assert evaluate(release, f"transformers:{words_only}", protocol="blind", options=options).error == 0
    vague = Scripted(lambda question: "The one that barks.")
    for judge, is_verdict in ((f"likelihood:{words_only}", True), (f"transformers:{words_only}", False)):
        judged = evaluate(release, vague, judge=Judge(model=judge), log_folder=tmp_path / "log").judge
        assert judged is not None
        assert (judged.asked, judged.letters + judged.none + judged.refusals) == (2, 2 if is_verdict else 0)
        assert (
            tmp_path / "log" / judge.replace(str(words_only), "tiny-lm").replace(":", "-") / "replies.jsonl"
        ).is_file()


def test_several_questions_about_a_picture_decode_it_once(
    bench: Any, vlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    same, other = (RNG.integers(0, 256, (24, 30, 3), dtype=np.uint8) for _ in range(2))
    for number, pixels in enumerate((same, same, other, same)):
        bench.add(f"question {number}", pictures=[pixels])
    decoded: list[bytes] = []
    decode = local_models._image
    monkeypatch.setattr(local_models, "_image", lambda data: decoded.append(data) or decode(data))
    questions = asked(bench.release(tmp_path / "release"))
    assert len(replies(f"transformers:{vlm}", questions, BackendOptions(max_tokens=1))) == 4
    assert len(decoded) == 2


def test_likeliest_options_ask_only_for_the_logits_that_they_read(
    bench: Any, vlm: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from functools import wraps

    from transformers import LlavaForConditionalGeneration

    sizes: list[tuple[int, int]] = []
    forward = LlavaForConditionalGeneration.forward

    @wraps(forward)
    def watched(self: Any, *args: Any, **inputs: Any) -> Any:
        output = forward(self, *args, **inputs)
        sizes.append((output.logits.shape[1], inputs["input_ids"].shape[1]))
        return output

    monkeypatch.setattr(LlavaForConditionalGeneration, "forward", watched)
    fill(bench, 2)
    replies(f"likelihood:{vlm}", asked(bench.release(tmp_path / "release")), BackendOptions())
    assert sizes
    assert all(kept == 1 + len("parrot on a roof") < whole for kept, whole in sizes)


def test_without_the_packages_the_extra_is_named(vlm: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import importlib.util

    find = importlib.util.find_spec
    monkeypatch.setattr(importlib.util, "find_spec", lambda name, *more: None if name == "torch" else find(name, *more))
    with pytest.raises(PrerequisiteError, match=r"need torch: pip install 'benchwright\[models\]'"):
        parse_model(f"transformers:{vlm}")
    assert local_weights.model_name(os.fspath(vlm)) == "tiny-vlm"
