"""Whether a decision can have been made with care, by the time that it took."""

from ..forms.shortest_time import is_too_fast, shortest_time_s

__all__ = ["is_too_fast", "shortest_time_s"]
