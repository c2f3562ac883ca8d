"""The task card: the question with its options, and everything that an annotator can say of it."""

from .card import Card, show_card

__all__ = ["Card", "show_card"]
