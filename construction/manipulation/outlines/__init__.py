"""Outlines before anything is pasted: how good each is, seen on its picture."""
