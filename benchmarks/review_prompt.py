"""A prompt that asks a language model to review questions, by the project's own chat client and a SCRIPTED endpoint.

The prompt follows A. P. Gema et al., "Are We Done with MMLU?" (2024), whose taxonomy of faults it names. The answers do
not come from a model: a server on the loopback reads the prompt by the few rules below, which were written once, before
any measurement, and never changed. The results therefore exercise the path from a row to a finding, and do not predict
any model's findings. To ask a model, run it with the endpoint's address and the model's name.

    review_prompt.py IMAGES ROWS.json OUT.json [BASE_URL MODEL]
"""

from __future__ import annotations

import json
import re
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from benchwright.errors import RequestFailed
from benchwright.models.endpoints.chat import Chat, ChatSettings

PROMPT = """\
You review questions of a benchmark. Each has options, of which one is given as the right answer; a picture belongs to \
the question, which you do not see. Is the question faulty? Answer with one of these words, and nothing else:

ok
bad_question_clarity: the question is unclear, unfinished or garbled
bad_options_clarity: options are unclear, unfinished or garbled
no_correct_answer: no option can be right
multiple_correct_answers: more than one option is right
wrong_groundtruth: the answer given is not the right one

Question: {question}
Options:
{options}
Answer: {answer}
"""
FAULTS = (
    "bad_question_clarity",
    "bad_options_clarity",
    "no_correct_answer",
    "multiple_correct_answers",
    "wrong_groundtruth",
)
_ASKED = re.compile(r"Question: (?P<question>.*)\nOptions:\n(?P<options>.*)\nAnswer: (?P<answer>.*)\n", re.DOTALL)
_UNFINISHED = re.compile(r"\b(?:TODO|FIXME|TBD|lorem ipsum|placeholder)\b|\?\?\?|[{}]|�", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:all of the above|both [A-Z] and [A-Z])\b", re.IGNORECASE)


def scripted_reply(prompt: str) -> str:
    """Return the scripted reader's answer: it searches for a few words, equal options and a missing answer."""
    asked = _ASKED.search(prompt)
    if asked is None:
        return "ok"
    options = [line[3:].strip() for line in asked["options"].splitlines()]
    if _UNFINISHED.search(asked["question"]) or len(asked["question"].split()) < 2:
        return "bad_question_clarity"
    if any(not option or _UNFINISHED.search(option) for option in options):
        return "bad_options_clarity"
    if len({option.casefold() for option in options}) < len(options) or any(map(_POINTS.search, options)):
        return "multiple_correct_answers"
    return (
        "ok" if asked["answer"].strip() in {chr(65 + place) for place in range(len(options))} else "no_correct_answer"
    )


@contextmanager
def scripted_endpoint() -> Iterator[str]:
    """Run the scripted reader behind an API of chat completions on the loopback, and yield its base URL."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            """Answer a request."""
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            content = body["messages"][-1]["content"]
            words = content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
            message = {"role": "assistant", "content": scripted_reply(words)}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            reply = json.dumps(
                {"id": "1", "object": "chat.completion", "model": body["model"], "choices": choices}
            ).encode()
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(reply)))
            self.end_headers()
            self.wfile.write(reply)

        def log_message(self, format: str, *args: Any) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reviewed(rows: Sequence[Mapping[str, Any]], base_url: str, model: str) -> list[dict[str, Any]]:
    """Return the rows that the reviewer calls faulty, by id; and its failures, as one problem."""
    chat = Chat(ChatSettings(model=model, base_url=base_url, temperature=0, max_tokens=20))
    unread = 0

    def reply_to(row: Mapping[str, Any]) -> str | None:
        options = "\n".join(f"{chr(65 + place)}. {option}" for place, option in enumerate(row["options"]))
        answer = "" if row["key"] is None else chr(65 + row["key"])
        try:
            return chat.ask(PROMPT.format(question=row["question"], options=options, answer=answer))
        except RequestFailed:
            return None

    found: list[dict[str, Any]] = []
    try:
        with ThreadPoolExecutor(8) as pool:
            for row, reply in zip(rows, pool.map(reply_to, rows), strict=True):
                said = next((fault for fault in FAULTS if reply is not None and fault in reply), None)
                if said is not None:
                    found.append({"kind": said, "items": [row["id"]]})
                elif reply is None or "ok" not in reply:
                    unread += 1
    finally:
        chat.close()
    return [*found, {"problem": f"{unread} replies are missing or name none of the words"}] if unread else found


def main() -> None:
    """Review rows and write the faulty ones."""
    _, rows, out, *model = sys.argv[1:]
    given = json.loads(Path(rows).read_text(encoding="utf-8"))
    if model:
        found = reviewed(given, *model)
    else:
        with scripted_endpoint() as base_url:
            found = reviewed(given, base_url, "scripted-reader")
    Path(out).write_text(json.dumps(found), encoding="utf-8")


if __name__ == "__main__":
    main()
