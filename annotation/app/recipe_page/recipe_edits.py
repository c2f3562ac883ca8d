"""Single changes to the text of a recipe file that preserve the comments, order and layout of everything else.

The YAML parser gives the position of each value; new parts follow the style of their surroundings. The functions read
a changed text again before they return it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from benchwright.errors import BenchwrightError

_WIDE = 10_000
_OTHERWISE = "change its text instead"


def with_setting(text: str, entry: int, keys: Sequence[str], value: Any) -> str:
    """Return the text of a recipe after setting one setting of one step.

    Args:
        text: Text of a valid recipe.
        entry: Number of the step in the recipe, from 0.
        keys: Names of the setting, from the outer to the inner one, such as `("handout", "gold_rate")`.
        value: Its value, of a type that YAML can represent.

    Raises:
        BenchwrightError: The recipe's notation does not allow a change of a single setting.
    """
    node = _steps(text).value[entry]
    if isinstance(node, yaml.ScalarNode):
        first = f"step: {_source(text, node)}"
        rest = _pair(keys, value)
        start, end = node.start_mark.index, node.end_mark.index
        inner = f"{{{first}, {rest}}}" if _steps(text).flow_style else f"{first}\n{' ' * node.start_mark.column}{rest}"
        return _checked(text[:start] + inner + text[end:])
    return _checked(_set_in(text, node, keys, value))


def with_step(text: str, after: int, step: Mapping[str, Any]) -> str:
    """Return the text of a recipe with a step inserted.

    Args:
        text: Text of a valid recipe.
        after: Number of the step after which to insert it, from 0.
        step: The step in the form of recipe files.

    Raises:
        BenchwrightError: The recipe's notation does not allow inserting a step.
    """
    steps = _steps(text)
    node = steps.value[after]
    if steps.flow_style:
        end = node.end_mark.index
        return _checked(f"{text[:end]}, {_flow(dict(step))}{text[end:]}")
    dash = text.rfind("-", 0, node.start_mark.index)
    indent = " " * (dash - (text.rfind("\n", 0, dash) + 1))
    lines = yaml.safe_dump(dict(step), sort_keys=False, allow_unicode=True, width=100).rstrip("\n").split("\n")
    new = f"{indent}- " + f"\n{indent}  ".join(lines)
    return _checked(_after_line(text, _last(text, node), new))


def _steps(text: str) -> yaml.SequenceNode:
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    assert isinstance(root, yaml.MappingNode), "a recipe is a mapping"
    return next(value for key, value in root.value if key.value == "steps")  # type: ignore[no-any-return] # YAML's nodes


def _set_in(text: str, node: yaml.MappingNode, keys: Sequence[str], value: Any) -> str:
    """Return a text in which a value is set below a mapping."""
    found = next((inner for key, inner in node.value if key.value == keys[0]), None)
    if found is not None and len(keys) > 1 and isinstance(found, yaml.MappingNode) and found.value:
        return _set_in(text, found, keys[1:], value)
    if found is not None:
        new = value
        for key in reversed(keys[1:]):
            new = {key: new}
        return text[: found.start_mark.index] + _flow(new) + text[_last(text, found) :]
    if node.flow_style:
        close = node.end_mark.index - 1
        before = text[:close].rstrip()
        comma = "" if before.endswith(("{", ",")) else ","
        return f"{before}{comma} {_pair(keys, value)}{text[close:]}"
    indent = " " * node.start_mark.column
    return _after_line(text, _last(text, node), indent + _pair(keys, value))


def _last(text: str, node: yaml.Node) -> int:
    """Return the end of a value, without the line breaks and comments that follow."""
    if isinstance(node, yaml.ScalarNode):
        end = node.end_mark.index
        return len(text[:end].rstrip("\n")) if node.style in {"|", ">"} else end
    assert isinstance(node, yaml.CollectionNode), "a value of YAML is a scalar or a collection"
    if node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    return _last(text, last[1] if isinstance(last, tuple) else last)


def _after_line(text: str, place: int, line: str) -> str:
    """Return a text with a line inserted after the line that contains a position, including that line's comment."""
    end = text.find("\n", place)
    if end < 0:
        return f"{text}\n{line}\n"
    return f"{text[:end]}\n{line}{text[end:]}"


def _pair(keys: Sequence[str], value: Any) -> str:
    for key in reversed(keys[1:]):
        value = {key: value}
    return f"{keys[0]}: {_flow(value)}"


def _flow(value: Any) -> str:
    """Return a value as YAML on one line."""
    # Within a list, because YAML adds an end-of-document mark after a plain value.
    written = yaml.safe_dump([value], default_flow_style=True, allow_unicode=True, sort_keys=False, width=_WIDE)
    return written.strip()[1:-1]


def _source(text: str, node: yaml.Node) -> str:
    return text[node.start_mark.index : node.end_mark.index]


def _checked(text: str) -> str:
    try:
        yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        raise BenchwrightError(f"the recipe cannot be changed at this place; {_OTHERWISE}") from error
    return text
