"""The statements of a facts file as the values that an annotator would fill into the form of `state`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchwright.facts import PictureFacts

PARTS = ("low", "high", "low_natural", "high_natural")


def fields_of(picture: PictureFacts, image_of: Mapping[str, str]) -> dict[str, Any]:
    """Return the values of the form for a picture; `image_of` has the image id of each key of the file."""
    document = picture.model_dump(mode="json", exclude_none=True)
    fields: dict[str, Any] = {
        "statement": "stated",
        "also": document.get("also"),
        **document.get("source", {}),
        "background": document.get("background"),
        "subjects": [_subject(subject, image_of) for subject in document["subjects"]],
        "answerable": document["answerable"],
        "unanswerable": document["unanswerable"],
    }
    if (implication := document.get("implication")) is not None:
        fields |= {name: _code(implication[name]) for name in ("image_type", "domain", "emotion")}
        fields["conveyed"] = [implication["question"]] if "question" in implication else []
    if (pairs := document.get("pairs")) is not None:
        fields |= {"caption": pairs["caption"], "main_subject": pairs["subject"], "people": str(pairs["people"])}
        fields |= {"stands": "yes" if pairs["stands"] else "no"}
        if "ground" in pairs:
            fields["ground"] = f"{100 * pairs['ground']:.0f}"
        fields["seen"] = [{"of": name, "value": value} for name, value in pairs["seen"].items()]
        fields["suggests"] = [{"of": name, **value} for name, value in pairs["suggests"].items()]
        fields["backgrounds"] = [
            {"category": category.lower(), "pictures": [image_of[key] for key in keys]}
            for category, keys in pairs["backgrounds"].items()
        ]
        fields["swaps"] = [_swap(swap, image_of) for swap in pairs["swaps"]]
        fields["looks"] = [{"effect": effect, **(value or {})} for effect, value in pairs["looks"].items()]
    return {name: value for name, value in fields.items() if value}


def _code(words: str) -> str:
    return words.replace("-", "_").replace(" ", "_")


def _subject(subject: Mapping[str, Any], image_of: Mapping[str, str]) -> dict[str, Any]:
    onto = [image_of[key] for key in subject.get("cut_out", {}).get("onto", ())]
    return {"name": subject["name"], "phrase": subject["phrase"]} | ({"onto": onto} if onto else {})


def _swap(swap: Mapping[str, Any], image_of: Mapping[str, str]) -> dict[str, Any]:
    values = {f"{part}_{name}": value for part in PARTS for name, value in swap.get(part, {}).items()}
    own = {name: swap[name] for name in ("target", "color", "of", "aspect", "caption") if name in swap}
    by = {"by": [image_of[swap["by"]]]} if "by" in swap else {}
    return {"category": swap["category"].lower(), **own, **by, **values}
