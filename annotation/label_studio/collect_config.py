"""The project for collecting photographs: annotators import files as tasks, and fill in the form for each file.

Label Studio imports picture files only into a project whose tasks have a single data field. The prompts are therefore
choices in the config. The pushed tasks contain no photograph; on them annotators state that they found none for a
prompt.
"""

from __future__ import annotations

import base64
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from benchwright.errors import BenchwrightError, DataError

from ..forms.campaign_form import CampaignForm
from ..forms.fields.field_types import OneOf, PhotographField
from ..forms.fields.field_values import FormError
from ..forms.fields.form import Form
from ..forms.kind_forms.collect import NONE
from ..store.database.records import Task
from .label_config import add_fields, codes_by_words, control_of, plain, selected
from .replies import read_fields, values_by_control
from .task_data import KEY, key_of

IMAGE, _PROMPT = "image", "prompt"
"""Fields of a task's data; the second is also the name of the control that states a photograph's prompt."""
PICTURE = "picture"
"""Name of the photograph in the config."""
_NO_PROMPT = "none of the prompts"
"""Choice added to a single prompt, since Label Studio refuses a list with only one choice."""
MOST_PROMPTS = 1000


class CollectedPhotograph(NamedTuple):
    """An annotation of a photograph: the prompt (None if none is named) and the fields of the form."""

    prompt: str | None
    fields: Mapping[str, Any]


def prompt_of(task: Task) -> str:
    """Return the prompt of a task, which asks for a photograph."""
    return str(task.payload["question"])


def collect_config(form: CampaignForm, tasks: Iterable[Task]) -> str:
    """Return the config for a campaign that collects photographs, as XML, with the prompts of its tasks.

    Raises:
        BenchwrightError: The campaign has too many prompts for a list of choices.
    """
    words = sorted(prompt_words(tasks))
    if len(words) > MOST_PROMPTS:
        raise BenchwrightError(
            f"{len(words):,} prompts are too many for one list; Label Studio gets up to {MOST_PROMPTS:,}. Collect in "
            "the app (`review serve`)"
        )
    view = ET.Element("View")
    if form.guidelines:
        panel = ET.SubElement(ET.SubElement(view, "Collapse"), "Panel", value="Guidelines")
        for line in filter(None, map(str.strip, form.guidelines.splitlines())):
            ET.SubElement(panel, "Header", value=plain(line), size="5")
    ET.SubElement(view, "Header", value=f"${_PROMPT}", size="4")
    ET.SubElement(view, "Image", name=PICTURE, value=f"${IMAGE}", zoom="true", zoomControl="true")
    fields = _fields_beside_photograph(form)
    place = len(view)
    add_fields(view, fields, of=PICTURE)
    view.insert(place + 1, _prompts(words, fields))
    return ET.tostring(view, encoding="unicode")


def _prompts(words: Sequence[str], fields: Form) -> ET.Element:
    """Return the part of the config that asks for the prompt of a photograph."""
    headline = fields.headline
    assert isinstance(headline, OneOf)  # the form of `collect` begins with whether a photograph was found
    labels = [label for label, code in codes_by_words(headline).items() if code != NONE]
    part = ET.Element("View", selected(control_of(headline), *labels))
    ET.SubElement(part, "Header", value="Prompt", size="5")
    prompts = ET.SubElement(part, "Choices", name=_PROMPT, toName=PICTURE, choice="single-radio", layout="select")
    for prompt in words if len(words) > 1 else [*words, _NO_PROMPT]:
        ET.SubElement(prompts, "Choice", value=prompt)
    return part


def _fields_beside_photograph(form: CampaignForm) -> Form:
    """Return the form without the photograph field, to which the other fields refer."""
    typed = form.typed
    assert typed is not None  # a campaign that collects has fields
    return Form(fields=tuple(field for field in typed.fields if not isinstance(field, PhotographField)))


def photograph_field(form: CampaignForm) -> PhotographField:
    """Return the photograph field in a form."""
    typed = form.typed
    assert typed is not None  # a campaign that collects has fields
    return next(field for field in typed.fields if isinstance(field, PhotographField))


def prompt_words(tasks: Iterable[Task]) -> dict[str, str]:
    """Return the prompts of tasks by the text of the corresponding choices."""
    return {plain(prompt_of(task)): prompt_of(task) for task in tasks}


def prompt_data(task: Task) -> dict[str, Any]:
    """Return the data of a task with which annotators state that they found no photograph."""
    question = f"Can no photograph be found? {prompt_of(task)}"
    return {KEY: key_of(task), _PROMPT: question, IMAGE: _empty_picture()}


def read_collected(result: Any, form: CampaignForm, words: Mapping[str, str]) -> CollectedPhotograph:
    """Read the annotation of a photograph, or of a task without one.

    Args:
        result: Label Studio's list of regions.
        form: Form of the campaign.
        words: Prompts of the campaign, by the text of their choices.

    Raises:
        DataError: The annotation does not fit the form.
    """
    texts = values_by_control(result)
    named = texts.pop(_PROMPT, [])
    if len(named) > 1 or any(prompt not in words for prompt in named):
        raise DataError(f"{ascii(named)[:80]} is not one of the campaign's prompts")
    fields = _fields_beside_photograph(form)
    try:
        checked = fields.checked(read_fields(texts, fields, {}), letters=(), key=None)
    except FormError as error:
        raise DataError(str(error)) from None
    return CollectedPhotograph(words[named[0]] if named else None, checked)


@cache
def _empty_picture() -> str:
    import numpy as np

    from benchwright.images.decode import encode_png

    png = encode_png(np.full((8, 240, 3), 224, dtype=np.uint8))
    return f"data:image/png;base64,{base64.b64encode(png).decode()}"
