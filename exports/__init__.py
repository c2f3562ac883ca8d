"""Steps and commands that split, freeze and check releases."""
