"""WikiArt: the quoted rows, and others, including names that are spelled differently on disk and in lists."""

from __future__ import annotations

from pathlib import Path

from dataset_fixtures.pictures import save

STYLES = {0: "Abstract_Expressionism", 3: "Art_Nouveau_Modern", 12: "Impressionism", 26: "Ukiyo_e"}
QUOTED = [
    "Impressionism/edgar-degas_landscape-on-the-orne.jpg,12",
    "Abstract_Expressionism/gene-davis_untitled-1979(3).jpg,0",
]
COMPOSED = "Impressionism/joaqu\u00edn-sorolla_la-ni\u00f1a.jpg"
DECOMPOSED = "Impressionism/joaqui\u0301n-sorolla_la-nin\u0303a.jpg"
MOJIBAKE = "Ukiyo_e/joaqua\u00e3\u00adn_x.jpg"


def write_wikiart(root: Path, count: int = 40) -> list[tuple[str, int]]:
    """Write lists and paintings; the disk has one name decomposed that the list composes. Return path and class."""
    rows = [(line.rpartition(",")[0], int(line.rpartition(",")[2])) for line in QUOTED]
    rows += [(COMPOSED, 12), (MOJIBAKE, 26)]
    numbers = sorted(STYLES)
    for number in range(len(rows), count):
        style = numbers[number % len(numbers)]
        rows.append((f"{STYLES[style]}/an-artist-{number}_a-title.jpg", style))
    folder = root / "wikiart_csv"
    folder.mkdir(parents=True)
    (folder / "style_class.txt").write_text("".join(f"{n} {STYLES[n]}\n" for n in numbers), encoding="utf-8")
    for part, some in {"train": rows[:28], "val": rows[28:]}.items():
        (folder / f"style_{part}.csv").write_text("".join(f"{path},{n}\n" for path, n in some), encoding="utf-8")
    (folder / "artist_train.csv").write_text("path,class\n\nx.jpg,,3\n", encoding="utf-8")
    for number, (path, _) in enumerate(rows):
        save(root / "wikiart" / (DECOMPOSED if path == COMPOSED else path), 800 + number, 50, 40)
    return rows
