"""Sealed answers scored by the keeper of the key, and the leaderboard of the systems that were scored."""
