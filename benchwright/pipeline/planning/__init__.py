"""The plan of a run: the stages and phases of a recipe, and the steps that fit an image folder."""
