"""The difference between two texts, as HTML."""

from __future__ import annotations

from difflib import unified_diff
from html import escape

from benchwright.texts.hidden_characters import escaped

_CONTEXT = 2
"""Number of unchanged lines around each change."""
_TAGS = {"+": "ins", "-": "del"}


def difference_html(before: str, after: str, *, direction: str = "ltr", name: str = "") -> str:
    """Return the differing lines of two texts with their context; a line of three dots replaces skipped lines.

    Args:
        before: The earlier text.
        after: The later text.
        direction: `ltr`, or `auto` for texts in any language.
        name: Name of the region for screen readers; empty if it has none.
    """
    lines = unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=_CONTEXT)
    shown = ["⋯" if line.startswith("@@") else line for line in lines if not line.startswith(("---", "+++"))]
    written = "".join(
        f"<{tag}>{escape(escaped(line))}</{tag}>"
        if (tag := _TAGS.get(line[:1]))
        else f"<span>{escape(escaped(line))}</span>\n"
        for line in shown
    )
    about = f' role="region" aria-label="{escape(name, quote=True)}"' if name else ""
    return f'<pre class="bw-diff" dir="{direction}" tabindex="0"{about}>{written}</pre>'
