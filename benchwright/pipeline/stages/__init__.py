"""Stages of a run: records mapped, tables gathered, final steps, and what workers need for them."""
