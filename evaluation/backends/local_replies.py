"""Replies of a loaded model, by greedy generation or by the likelihood of each option."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from benchwright.models.endpoints.completions import Completion
from benchwright.models.endpoints.usage import Tokens

from ..prompting.question import Question
from .local_weights import LoadedModel

Pixels = Any


@dataclass(frozen=True)
class Prompt:
    """One question in the form that the model takes.

    Args:
        question: Question in the form common to all backends.
        content: Pieces of text, with None in place of each picture.
        pictures: PIL images, in order.
    """

    question: Question
    content: tuple[str | None, ...]
    pictures: tuple[Pixels, ...]


@dataclass(frozen=True)
class LocalReply:
    """A reply, with additional facts for the log."""

    completion: Completion
    more: dict[str, Any]


def generate(loaded: LoadedModel, prompts: Sequence[Prompt], max_tokens: int) -> list[LocalReply]:
    """Return the model's greedy replies to prompts that have equal numbers of pictures."""
    import torch

    inputs = _inputs(loaded, [_text(loaded, prompt) for prompt in prompts], [prompt.pictures for prompt in prompts])
    with torch.inference_mode():
        # A model's own settings may ask for sampling; None removes the settings that only sampling uses.
        output = loaded.model.generate(
            **inputs, max_new_tokens=max_tokens, do_sample=False, num_beams=1, temperature=None, top_p=None, top_k=None
        )
    new = output[:, inputs["input_ids"].shape[1] :]
    texts = loaded.processor.batch_decode(new, skip_special_tokens=True)
    sent = inputs["attention_mask"].sum(dim=1).tolist()
    ends = _ends(loaded)
    replies = []
    for text, row, prompt_tokens in zip(texts, new.tolist(), sent, strict=True):
        length = next((at for at, token in enumerate(row, start=1) if token in ends), None)
        tokens = Tokens(prompt_tokens, len(row) if length is None else length)
        replies.append(LocalReply(Completion.of(text, "length" if length is None else "stop", tokens), {}))
    return replies


def likeliest(loaded: LoadedModel, prompts: Sequence[Prompt]) -> list[LocalReply]:
    """Return, as the reply to each prompt, the option that the model finds most likely.

    An option's score is the mean log-probability of its tokens, given the prompt and the preceding tokens. A sum would
    favor short options. The option's text is scored; if any option is a picture, the letters of all options of that
    question are scored instead. Ties go to the first option.
    """
    rows = [(prompt, text) for prompt in prompts for text in _continuations(prompt.question)]
    starts = [_text(loaded, prompt) for prompt, _ in rows]
    pictures = [prompt.pictures for prompt, _ in rows]
    short = _inputs(loaded, starts, pictures)
    full = _inputs(loaded, [start + text for start, (_, text) in zip(starts, rows, strict=True)], pictures)
    scores = _mean_log_probabilities(loaded, short, full)
    replies, at = [], 0
    for prompt in prompts:
        choices = prompt.question.choices
        its = scores[at : at + len(choices)]
        at += len(choices)
        best = choices[its.index(max(its))].key
        named = {choice.key: round(score, 6) for choice, score in zip(choices, its, strict=True)}
        replies.append(LocalReply(Completion(f"({best})", "likeliest", None), {"scores": named}))
    return replies


def _continuations(question: Question) -> list[str]:
    if any(choice.text is None for choice in question.choices):
        return [f"({choice.key})" for choice in question.choices]
    return [choice.text or "" for choice in question.choices]


def _text(loaded: LoadedModel, prompt: Prompt) -> str:
    content: Any = [{"type": "image"} if part is None else {"type": "text", "text": part} for part in prompt.content]
    if not loaded.sees:  # templates of text-only models take a text
        content = "\n".join(part for part in prompt.content if part is not None)
    messages = [{"role": "user", "content": content}]
    text: str = loaded.processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return text


def _inputs(loaded: LoadedModel, texts: Sequence[str], pictures: Sequence[Sequence[Pixels]]) -> Any:
    if not loaded.sees:  # the template has written the special tokens
        plain = {"add_special_tokens": False, "return_token_type_ids": False}
        return loaded.processor(list(texts), padding=True, return_tensors="pt", **plain).to(loaded.device)
    shown = [list(images) for images in pictures] if any(pictures) else None
    inputs = loaded.processor(text=list(texts), images=shown, padding=True, return_tensors="pt")
    return inputs.to(loaded.device, dtype=loaded.model.dtype)


def _ends(loaded: LoadedModel) -> frozenset[int]:
    stated = loaded.model.generation_config.eos_token_id
    return frozenset(stated if isinstance(stated, list) else [] if stated is None else [stated])


def _mean_log_probabilities(loaded: LoadedModel, short: Any, full: Any) -> list[float]:
    """Return, for each row, the mean log-probability of the tokens of `full` that follow its common prefix with
    `short`.
    """
    import torch

    counts = [_added_tokens(short, full, row) for row in range(len(full["input_ids"]))]
    last = {"logits_to_keep": max(counts) + 1} if _keeps_last_logits(loaded.model) else {}
    with torch.inference_mode():
        logits = loaded.model(**full, **last).logits
    scores = []
    for row, count in enumerate(counts):
        if count == 0:
            scores.append(float("-inf"))
            continue
        predicted = torch.log_softmax(logits[row, -count - 1 : -1].float(), dim=-1)
        chosen = full["input_ids"][row, -count:].unsqueeze(1)
        scores.append(float(predicted.gather(1, chosen).mean()))
    return scores


def _added_tokens(short: Any, full: Any, row: int) -> int:
    """Return the number of tokens of a row of `full` that follow its common prefix with `short`.

    If a tokenizer merges the prompt's end with the option's beginning, the merged token is treated as part of the
    option.
    """
    beginning = short["input_ids"][row][short["attention_mask"][row].bool()].tolist()
    whole = full["input_ids"][row][full["attention_mask"][row].bool()].tolist()
    same = next((k for k, (a, b) in enumerate(zip(beginning, whole, strict=False)) if a != b), len(beginning))
    return len(whole) - same


def _keeps_last_logits(model: Any) -> bool:
    """Return whether the model can skip the logits of all but the last tokens.

    The logits of a whole prompt, with a number for each token and each of 150,000 vocabulary entries, would occupy
    gigabytes without being used.
    """
    return "logits_to_keep" in inspect.signature(model.forward).parameters
