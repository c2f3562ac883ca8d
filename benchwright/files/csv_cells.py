"""CSV cells that are safe to open in a spreadsheet program."""

from __future__ import annotations


def harmless(value: str) -> str:
    """Return the text in a form that a spreadsheet shows and does not run as a formula.

    Example:
        >>> harmless("=SUM(A1)"), harmless("plain")
        ("'=SUM(A1)", 'plain')
    """
    return f"'{value}" if value[:1] in {"=", "+", "-", "@", "\t", "\r"} else value
