"""The plan of a run: stages and phases of a recipe, and what fits an image folder."""
