"""Protocols: named settings that say how items are asked and what replies amount to; the papers' words for it."""
