"""Real photographs, and marks over them, for pages under test."""

from __future__ import annotations

from pathlib import Path

from PIL import Image, ImageDraw


def save_photographs(folder: Path) -> None:
    """Save the photographs that ship in scikit-image's wheel, pieces of them, and marks of the same shapes."""
    import skimage.data

    source = Path(skimage.data.__file__).parent
    for name, file in {
        "astronaut": "astronaut",
        "coffee": "coffee",
        "left": "motorcycle_left",
        "right": "motorcycle_right",
    }.items():
        with Image.open(source / f"{file}.png") as image:
            photograph = image.convert("RGB")
        photograph.save(folder / f"{name}.png")
        _marks(photograph.size).save(folder / f"{name}-marks.png")
    with Image.open(folder / "coffee.png") as coffee, Image.open(folder / "astronaut.png") as astronaut:
        reference = coffee.copy()
        reference.paste((0, 0, 0), (300, 200, 600, 400))
        reference.save(folder / "reference.png")
        coffee.crop((300, 200, 600, 400)).save(folder / "piece-a.png")
        coffee.crop((100, 20, 400, 220)).save(folder / "piece-b.png")
        astronaut.crop((60, 0, 360, 512)).save(folder / "portrait.png")


def _marks(size: tuple[int, int]) -> Image.Image:
    marks = Image.new("RGBA", size)
    pen = ImageDraw.Draw(marks)
    for x, y in ((0.32, 0.4), (0.58, 0.62)):
        centre = (size[0] * x, size[1] * y)
        pen.circle(centre, 14, outline=(255, 255, 255, 255), width=6)
        pen.circle(centre, 12, outline=(220, 30, 30, 255), width=3)
    return marks
