"""Recipes bundled with Benchwright; `benchwright run NAME` finds them by name."""

from pathlib import Path


def bundled_recipes() -> dict[str, Path]:
    """Return the files of the bundled recipes, by name."""
    return {path.stem: path for path in sorted(Path(__file__).parent.glob("*.yaml")) if "." not in path.stem}


def companions(recipe: Path) -> list[Path]:
    """Return the companion files of a bundled recipe: the files named `<recipe>.<what>.yaml` next to it."""
    return sorted(recipe.parent.glob(f"{recipe.stem}.*.yaml"))
