"""One side of `endpoint.py`, as a program: ask an endpoint every item of a list; print seconds and peak memory.

    python asking_peers.py {ours,bare,inspect_ai} ITEMS.jsonl URL IN-FLIGHT

Imports are not measured. `bare` is a ten-line loop over the `openai` client: read the file, encode it, ask.
"""

from __future__ import annotations

import asyncio
import base64
import json
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from measuring import peak_mb

PEERS = Path(__file__).resolve()
Items = list[dict[str, str]]


def main(side: str, items: str, url: str, in_flight: str) -> None:
    """Ask and print."""
    listed = [json.loads(line) for line in Path(items).read_text(encoding="utf-8").splitlines()]
    work = {"ours": _ours, "bare": _bare, "inspect_ai": _inspect}[side](listed, url, int(in_flight))
    cpu_s, started = _cpu_s(), time.perf_counter()
    answered = work()
    figures = {"wall_s": time.perf_counter() - started, "cpu_s": _cpu_s() - cpu_s, "peak_mb": peak_mb()}
    assert answered == len(listed), f"{answered} of {len(listed)} answered"
    print(json.dumps(figures))


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _ours(items: Items, url: str, in_flight: int) -> Callable[[], int]:
    import benchwright.models.endpoints.client  # noqa: F401
    from benchwright.canonical import bytes_digest
    from benchwright.evaluation.backends.base import BackendContext, parse_model
    from benchwright.evaluation.backends.options import BackendOptions
    from benchwright.evaluation.prompting.question import Question, QuestionImage
    from benchwright.records import Choice

    choices = (Choice(key="A", text="a cat"), Choice(key="B", text="a dog"))

    def questions() -> Any:
        for one in items:
            data = Path(one["picture"]).read_bytes()
            yield Question(
                one["id"], "naming", one["question"], (QuestionImage(bytes_digest(data), (), data),), choices
            )

    backend = parse_model("openai:stub", BackendOptions(base_url=url, concurrency=in_flight))
    context = BackendContext(
        release_id="r", content_id="c", item_ids=frozenset, log_folder=Path(f"log-{time.time_ns()}")
    )
    return lambda: sum(reply.text == "(B)" for reply in backend.answer(questions(), context))


def _bare(items: Items, url: str, in_flight: int) -> Callable[[], int]:
    from openai import AsyncOpenAI

    async def ask() -> int:
        client = AsyncOpenAI(base_url=url, api_key="none", max_retries=0)
        slots = asyncio.Semaphore(in_flight)

        async def one(item: dict[str, str]) -> bool:
            async with slots:
                data = base64.b64encode(Path(item["picture"]).read_bytes()).decode()
                content: Any = [
                    {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
                    {"type": "text", "text": f"{item['question']}\n(A) a cat\n(B) a dog"},
                ]
                reply = await client.chat.completions.create(
                    model="stub", messages=[{"role": "user", "content": content}], temperature=0, max_tokens=1024
                )
                return reply.choices[0].message.content == "(B)"

        return sum(await asyncio.gather(*(one(item) for item in items)))

    return lambda: asyncio.run(ask())


def _inspect(items: Items, url: str, in_flight: int) -> Callable[[], int]:
    from inspect_ai import Task, eval
    from inspect_ai.dataset import MemoryDataset, Sample
    from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
    from inspect_ai.scorer import choice
    from inspect_ai.solver import multiple_choice

    samples = [
        Sample(
            id=one["id"], choices=["a cat", "a dog"], target="B",
            input=[ChatMessageUser(content=[ContentImage(image=one["picture"]), ContentText(text=one["question"])])],
        )
        for one in items
    ]  # fmt: skip

    def work() -> int:
        (log,) = eval(
            Task(dataset=MemoryDataset(samples), solver=multiple_choice(), scorer=choice()),
            model="openai/stub", model_base_url=url, model_args={"api_key": "none", "responses_api": False},
            max_connections=in_flight, max_samples=in_flight, temperature=0, max_tokens=1024, display="none",
            log_dir="inspect-logs", log_images=False,
        )  # fmt: skip
        assert log.status == "success", log.error
        return len(log.samples or [])

    return work


if __name__ == "__main__":
    main(*sys.argv[1:])
