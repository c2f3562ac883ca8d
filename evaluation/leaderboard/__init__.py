"""Scoring of sealed answers by the keeper of the key, and the leaderboard of the scored systems."""
