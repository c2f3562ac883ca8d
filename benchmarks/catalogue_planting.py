"""One item of the catalogue, and the ways in which `catalogue_kinds.py` plants faults into it."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from clean_items import LETTERS, Row
from PIL import Image, ImageDraw, ImageFont, PngImagePlugin


@dataclass
class Place:
    """One item for a fault, and the material for planters."""

    row: Row
    folder: Path
    rng: random.Random
    form: int
    changes: dict[str, str] = field(default_factory=dict)

    @property
    def letters(self) -> list[str]:
        """Return the letters of the item's options."""
        return [letter for letter in LETTERS if self.row[letter]]

    @property
    def right(self) -> str:
        """Return the right option's text."""
        return self.row[self.row["answer"]]

    def wrong(self) -> str:
        """Return the letter of a wrong option."""
        return self.rng.choice([letter for letter in self.letters if letter != self.row["answer"]])

    def of(self, *forms: str) -> str:
        """Return the form whose turn it is."""
        return forms[self.form % len(forms)]

    def asks(self, question: str, *options: str) -> None:
        """Give the item another question and options, the first of which is right, in a drawn order."""
        for letter in LETTERS:
            self.row[letter] = ""
        drawn = self.rng.sample(options, len(options))
        self.row.update(dict(zip(LETTERS, drawn, strict=False)), question=question, explanation="")
        self.row["answer"] = LETTERS[drawn.index(options[0])]

    def picture(self, end: str) -> tuple[Image.Image, Path]:
        """Return the item's picture and a new path for it, which the row names from then on."""
        with Image.open(self.folder / self.row["image"]) as opened:
            image = opened.convert("RGB")
        path = Path(self.row["image"]).with_name(f"{self.row['id']}-own{end}")
        self.row["image"] = str(path)
        return image, self.folder / path


def in_column(column: str, *forms: str) -> Callable[[Place], None]:
    def plant(at: Place) -> None:
        at.row[column] = filled(at, at.of(*forms))

    return plant


def as_option(*forms: str) -> Callable[[Place], None]:
    """Return a planting that replaces a wrong option by a form."""

    def plant(at: Place) -> None:
        at.row[at.wrong()] = filled(at, at.of(*forms))

    return plant


def as_pair(*pairs: tuple[str, str]) -> Callable[[Place], None]:
    """Return a planting that makes the right and a wrong option synonymous."""

    def plant(at: Place) -> None:
        right, wrong = pairs[at.form % len(pairs)]
        at.row[at.row["answer"]], at.row[at.wrong()] = right, wrong
        at.row["explanation"] = ""

    return plant


def asked(*items: tuple[str, ...]) -> Callable[[Place], None]:
    """Return a planting that replaces question and options by an item whose first option is right."""

    def plant(at: Place) -> None:
        at.asks(*items[at.form % len(items)])

    return plant


def filled(at: Place, form: str) -> str:
    letters = at.letters
    return form.format(
        q=at.row["question"], right=at.right, key=at.row["answer"], first=letters[0], second=letters[1],
        last=letters[-1], wrong=at.row[at.wrong()], other=at.wrong(), slug=at.right.lower().replace(" ", "_"),
        n=len(letters), more=len(letters) + 1,
    )  # fmt: skip


def repeated_but_for(change: Callable[[str], str]) -> Callable[[Place], None]:
    def plant(at: Place) -> None:
        at.row[at.wrong()] = change(at.right)

    return plant


def in_exif(at: Place) -> None:
    image, path = at.picture(".jpg")
    exif = Image.Exif()
    exif[(0x010E, 0x9C9B, 0x013B)[at.form % 3] if at.form % 3 != 1 else 0x010E] = (
        f"{at.of('', 'shows ', 'photo: ')}{at.right}"
    )
    image.save(path, exif=exif)


def in_xmp(at: Place) -> None:
    image, path = at.picture(".jpg")
    tag = at.of("dc:title", "dc:description", "dc:subject")
    packet = (
        '<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
        f'<rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><{tag}><rdf:Alt><rdf:li xml:lang="x-default">'
        f"{at.right}</rdf:li></rdf:Alt></{tag}></rdf:Description></rdf:RDF></x:xmpmeta>"
    )
    image.save(path, xmp=packet.encode())


def in_iptc(at: Place) -> None:
    image, path = at.picture(".jpg")
    image.save(path)
    text = at.right.encode()[:200]
    record = b"\x1c\x02" + bytes([(120, 105, 25)[at.form % 3]]) + len(text).to_bytes(2, "big") + text
    block = (
        b"Photoshop 3.0\x008BIM\x04\x04\x00\x00" + len(record).to_bytes(4, "big") + record + b"\x00" * (len(record) % 2)
    )
    data = path.read_bytes()
    path.write_bytes(data[:2] + b"\xff\xed" + (len(block) + 2).to_bytes(2, "big") + block + data[2:])


def in_png_text(at: Place) -> None:
    image, path = at.picture(".png")
    texts = PngImagePlugin.PngInfo()
    texts.add_text(
        at.of("Title", "Comment", "Description"), at.of("{}", "label: {}", "A picture of {}").format(at.right)
    )
    image.save(path, pnginfo=texts)


def grey_picture(at: Place) -> None:
    at.asks(
        at.of("What color is the largest thing?", "Which colour does the wall have?", "What is the color of the sky?",
              "Welche Farbe hat der Boden?", "In which colour is the thing on the left painted?"),
        *at.of("red|blue|green|yellow", "orange|purple|brown|pink").split("|"),
    )  # fmt: skip
    image, path = at.picture(".png")
    image.convert("L").save(path)


def personal_in_picture(at: Place) -> None:
    image, path = at.picture(".png")
    image = image.resize((640, 480))
    text = at.of(
        "anna.berg@posteo.de", "Call +49 30 901820 44", "IBAN DE89 3704 0044 0532 0130 00", "m.rossi@libero.it"
    )
    draw = ImageDraw.Draw(image)
    draw.rectangle((40, 200, 600, 270), fill="white")
    draw.text((60, 215), text, fill="black", font=ImageFont.load_default(32))
    image.save(path)


def other_key(at: Place) -> None:
    at.changes["again"] = at.wrong()


def without_words(at: Place) -> None:
    at.row[at.letters[at.letters.index(at.wrong())]] = at.of(" ", "-", "?", "…")


def options_in_question(at: Place) -> None:
    texts = [at.row[letter] for letter in at.letters]
    listed = [*texts[1:], texts[0]]
    mark = at.of("({}) {}", "{}. {}", "{}) {}")
    at.row["question"] += " " + at.of(" ", "; ").join(
        mark.format(letter, text) for letter, text in zip(at.letters, listed, strict=True)
    )


def carries_letter(at: Place) -> None:
    letters, texts = at.letters, [at.row[letter] for letter in at.letters]
    mark = at.of("({}) {}", "{}. {}", "{}) {}", "{}: {}")
    for letter, named, text in zip(letters, [*letters[1:], letters[0]], texts, strict=True):
        at.row[letter] = mark.format(named, text)


_TRANSLATED = (
    ("What is the boy holding?", "a ball|a kite|a rope|a book",
     "Was hält der Junge in der Hand?", "einen Ball|einen Drachen|ein Seil|ein Buch"),
    ("How many birds sit on the roof?", "3|5|7|9", "Combien d'oiseaux sont posés sur le toit ?", "3|5|7|9"),
    ("What color is the door?", "red|green|blue|white", "¿De qué color es la puerta?", "roja|verde|azul|blanca"),
    ("Where does the cat sleep?", "on the sofa|under the table|in a box|on the stairs",
     "Dove dorme il gatto?", "sul divano|sotto il tavolo|in una scatola|sulle scale"),
    ("Which animal is the largest?", "the elephant|the giraffe|the lion|the zebra",
     "Qual é o maior animal?", "o elefante|a girafa|o leão|a zebra"),
    ("What time does the clock show?", "3:30|4:15|6:45|9:00", "Wie spät ist es auf der Uhr?", "3:30|4:15|6:45|9:00"),
)  # fmt: skip


def asked_in_two_languages(at: Place) -> None:
    """Give the item a question that another row repeats in another language about the same picture."""
    question, options, other, its = _TRANSLATED[at.form % len(_TRANSLATED)]
    texts = options.split("|")
    at.asks(question, *texts)
    in_order = dict(zip(texts, its.split("|"), strict=True))
    again = {letter: in_order[at.row[letter]] for letter in at.letters}
    at.changes.update({**again, "question": other, "again": at.row["answer"]})


def truncated(at: Place) -> None:
    """Give the item a question that breaks off."""
    begun = (
        "What is the person on the left of the", "Which of the things that are shown in",
        "How many windows does the", "What does the sign above the door sa",
        "Because the man is holding an umbrella and", "the picture?", "Which animal is standing between the two",
    )  # fmt: skip
    at.asks(at.of(*begun), "a red scarf", "a wooden box", "a long ladder", "a green lamp")


def misspelled(at: Place) -> None:
    at.asks(*at.of(
        "Which animel sits on the fence?|a cat|a crow|a squirrel|a hen",
        "What is the woman caring on her shoulder?|a basket|an umbrela|a child|a ladder",
        "Which vegtable lies on the board?|a carrot|a leek|an onion|a turnip",
        "Where does the acident happen?|at a crossing|on a bridge|in a tunnel|in a garage",
        "What is the girl wareing on her head?|a helmet|a hat|a scarf|a crown",
        "Which instrument is the man playing?|a trumpett|a cello|a flute|a drum",
        "What is seperated by the river?|two villages|two forests|two fields|two roads",
    ).split("|"))  # fmt: skip


def named_by(at: Place) -> Path:
    name = at.of("{slug}.jpg", "img_{slug}_01.jpg", "{key}_is_right.jpg", "q-answer-{key}.jpg", "{slug}/photo.jpg")
    path = Path("images", f"{at.row['id']}-{filled(at, name)}") if "/" not in name else Path("images", filled(at, name))
    path = path if len(path.name) < 120 else Path("images", f"{at.row['id']}-answer-{at.row['answer']}.jpg")
    at.row["image"] = str(path)
    (at.folder / path).parent.mkdir(parents=True, exist_ok=True)
    return at.folder / path


def wrong_repeated(at: Place) -> None:
    wrong = [letter for letter in at.letters if letter != at.row["answer"]]
    first, second = at.rng.sample(wrong, 2) if len(wrong) > 1 else (wrong[0], wrong[0])
    at.row[first] = at.row[second]
