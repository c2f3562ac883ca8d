"""A model behind a scripted server that writes ideas and questions and answers about pictures sensibly."""

from __future__ import annotations

import json
from typing import Any

from chat_server import words_of
from sane_model import SaneModel

_WRONG = ("guarding a gate", "painting a fence", "waiting for a bus")


class SaneAnswerer(SaneModel):
    """Recognizes the natural picture, the first one shown, by its bytes; every other one is a manipulated one.

    Args:
        blind_to: Words of questions that it always answers with no.
    """

    def __init__(self, *, blind_to: str | None = None) -> None:
        super().__init__()
        self.natural: str | None = None
        self._blind_to = blind_to

    def look(self, body: dict[str, Any]) -> str:
        """Return the reply to a request."""
        words, picture = words_of(body), _picture(body)
        if "Describe this picture" in words:
            self.natural = self.natural or picture
        if '"first_caption"' in words:
            return json.dumps(_questions(json.loads(body["messages"][-1]["content"][0]["text"])))
        if "proposed answer" in words:
            return "Yes." if "proposed answer: A new" in words else "No."
        if "yes or no only" in words:
            return self._yes_no(words, is_natural=picture == self.natural)
        return json.dumps(self.reply(words))

    def _yes_no(self, words: str, *, is_natural: bool) -> str:
        if self._blind_to is not None and self._blind_to in words:
            return "No."
        if "Is it still" in words:
            return "Yes, it is." if is_natural else "No."
        if "Is it now" in words:
            return "No." if is_natural else "Yes."
        return "No." if "nothing but" in words else "Yes."


def _picture(body: dict[str, Any]) -> str | None:
    for message in body["messages"]:
        for part in message["content"] if isinstance(message["content"], list) else ():
            if part["type"] == "image_url":
                return str(part["image_url"]["url"])
    return None


def _questions(told: dict[str, Any]) -> dict[str, Any]:
    """Return questions about a change: what holds of the first picture still does, of the second it does now."""
    asked = {
        level: {
            "yes_on_first": f"Is it still {told[level]['first']}?",
            "yes_on_second": f"Is it now {told[level]['second']}?",
        }
        for level in ("low", "high")
    }
    single = {
        "question": f"What is {told['high']['aspect']}?", "answer": told["high"]["second"],
        "first_answer": told["high"]["first"], "distractors": _WRONG,
    }  # fmt: skip
    return {**asked, "single_image": single}
