"""The task card: the question with its options, and the controls for a decision on it."""

from .card import Card, show_card

__all__ = ["Card", "show_card"]
