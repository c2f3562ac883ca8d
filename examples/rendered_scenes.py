"""Write rendered pictures with complete ground truth, and the table that the reader `folder` reads.

    python examples/rendered_scenes.py FOLDER [--scenes 40] [--seed 1]

renders the given number of each: rooms full of things (depth, reflectance, counts, boxes), three things in some
arrangement (claims), two views of a room (poses), two toy figures (corresponding parts), and vessels (parts for
pouring). Truths follow from the geometry. The script omits truths that people could not see: half-hidden things, and
depths, positions and reflectances that hardly differ. `scenes.jsonl` states the rest; in a recipe, `{step: dataset,
reader: folder, folder: FOLDER}`.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, permutations
from math import cos, degrees, dist, radians, sin
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image
from ray_casting import Camera, Floats, Room, Thing, Traced, light, luminance, photograph, reflectance, trace

SIZE_WH = (640, 480)
TRIAL_WH = (160, 120)
"""Size of the trial trace that shows whether enough of each thing is visible."""
MATERIALS = {
    "black": (0.035, 0.035, 0.04),
    "blue": (0.04, 0.1, 0.4),
    "red": (0.5, 0.06, 0.05),
    "green": (0.08, 0.3, 0.1),
    "grey": (0.22, 0.22, 0.22),
    "yellow": (0.75, 0.5, 0.06),
    "white": (0.8, 0.79, 0.76),
}
PLURALS = {"ball": "balls", "box": "boxes", "cylinder": "cylinders"}
LEAST_SHARE = 0.5
"""Smallest visible share of a thing."""
BOXED_SHARE = 0.97
"""Smallest visible share of a thing with a stated box."""
FARTHER = 1.15
"""Smallest ratio of two compared distances."""
DARKER = 1.8
"""Smallest ratio of two different reflectances."""
SAME = 1.05
"""Largest ratio of two equal reflectances."""
OTHER_LIGHT = 1.4
"""Smallest ratio of the light on two compared places of one thing."""
PATCH_PX = 9
"""Half the side of the square around a point that must lie on one thing of one reflectance."""
COMPARISONS = 24
"""Largest number of comparisons of reflectance in a picture, of either kind."""

Pixels = NDArray[np.uint8]
Truth = dict[str, Any]


class Shot(NamedTuple):
    """A picture and the scene at its pixels."""

    pixels: Pixels
    traced: Traced
    albedo: Floats
    lighting: Floats


class Scene(NamedTuple):
    """The pictures of one record and their truths."""

    pictures: tuple[Pixels, ...]
    truths: tuple[Truth, ...]


def shoot(room: Room, camera: Camera, rng: np.random.Generator) -> Shot:
    """Return the picture of a room."""
    traced = trace(room, camera, SIZE_WH)
    albedo, lighting = reflectance(room, traced), light(room, traced)
    return Shot(photograph(albedo, lighting, rng), traced, luminance(albedo), lighting)


def furnished(things: Sequence[Thing], rng: np.random.Generator) -> Room:
    """Return a room with these things, and a random floor, wall and light."""
    greys = rng.choice((0.14, 0.22, 0.36, 0.55), 2)
    floor, wall = (tuple((grey * rng.uniform(0.85, 1.15, 3)).tolist()) for grey in greys)
    lamp = (rng.uniform(-1.2, 1.2), rng.uniform(-1.3, -0.3), rng.uniform(0.8, 1.8))
    return Room(tuple(things), floor, wall, lamp, tile=float(rng.choice((0.0, 0.6))))


def drawn_thing(rng: np.random.Generator, shape: str, place: tuple[float, float], scale: float = 1.0) -> Thing:
    """Return a thing of that shape on the floor, with random size, color and turn."""
    width, height = rng.uniform(0.45, 0.85, 2) * scale
    size = (width,) * 3 if shape == "ball" else (width, width, height * rng.uniform(0.8, 1.6))
    material = str(rng.choice(list(MATERIALS)))
    is_striped = shape == "cylinder" and bool(rng.random() < 0.3)
    return Thing(shape, (*place, 0.0), size, MATERIALS[material], float(rng.uniform(0, 90)), is_striped)  # type: ignore[arg-type]  # a str


def scattered(rng: np.random.Generator, shapes: Sequence[str], scale: float = 1.0) -> list[Thing]:
    """Return things of these shapes, placed apart."""
    things: list[Thing] = []
    while len(things) < len(shapes):
        place = (float(rng.uniform(-2.3, 2.3)), float(rng.uniform(-1.6, 2.6)))
        thing = drawn_thing(rng, shapes[len(things)], place, scale)
        if all(dist(place, other.foot[:2]) > 0.75 * (thing.size[0] + other.size[0]) for other in things):
            things.append(thing)
    return things


def held(rng: np.random.Generator, angle_deg: float = 0.0, nearest: float = 4.9) -> Camera:
    """Return a camera that looks at the middle of the room from that angle, 0 from the front, positive to the right."""
    reach = nearest + rng.uniform(0, 1)
    place = (reach * sin(radians(angle_deg)), -reach * cos(radians(angle_deg)), rng.uniform(1.6, 2.6))
    return Camera(place, (0.0, 0.0, 0.5))


def seen_well(room: Room, cameras: Sequence[Camera]) -> bool:
    """Return whether enough of each thing is visible in each picture."""
    return all(min(trace(room, camera, TRIAL_WH).shares) >= LEAST_SHARE for camera in cameras)


def full_room(rng: np.random.Generator) -> Scene:
    """Return a picture of two to eleven things."""
    while True:
        shapes = rng.choice(list(PLURALS), int(rng.integers(2, 12))).tolist()
        room, camera = furnished(scattered(rng, shapes, 1.15 - 0.04 * len(shapes)), rng), held(rng)
        if seen_well(room, [camera]):
            break
    shot = shoot(room, camera, rng)
    counts = Counter(shapes)
    asked = [
        {"kind": "counts", "question": f"How many {plural} are there?", "count": counts[shape], "is_simple": True}
        for shape, plural in PLURALS.items()
    ]
    return Scene((shot.pixels,), (*asked, boxes(room, shot), *depths(shot, rng), *reflectances(shot, rng)))


def boxes(room: Room, shot: Shot) -> Truth:
    """Return the box of each almost wholly visible thing; for the others, that more things have their label."""
    labels = [f"{_material(thing)} {thing.shape}" for thing in room.things]
    stated, hidden = [], set()
    for number, label in enumerate(labels):
        if shot.traced.shares[number] < BOXED_SHARE:
            hidden.add(label)
            continue
        rows, columns = np.nonzero(shot.traced.owner == number)
        box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
        stated.append({"label": label, "box": [float(side) for side in box]})
    return {"kind": "boxes", "boxes": stated, "incomplete": sorted(hidden)}


def clear_points(shot: Shot, rng: np.random.Generator, count: int) -> list[tuple[int, int]]:
    """Return points, column and row, around which all pixels are of one thing and one reflectance."""
    width, height = SIZE_WH
    columns = rng.integers(40, width - 40, count).tolist()
    rows = rng.integers(30, height - 30, count).tolist()
    points = []
    for column, row in zip(columns, rows, strict=True):
        square = np.s_[row - PATCH_PX : row + PATCH_PX + 1, column - PATCH_PX : column + PATCH_PX + 1]
        owner, albedo = shot.traced.owner[square], shot.albedo[square]
        if (owner == owner[0, 0]).all() and albedo.max() <= 1.12 * albedo.min():
            points.append((column, row))
    return points


def _tilt_deg(first: tuple[int, int], second: tuple[int, int]) -> float:
    across, down = abs(first[0] - second[0]), abs(first[1] - second[1])
    return 90.0 if not across else degrees(np.arctan2(down, across))


def depths(shot: Shot, rng: np.random.Generator) -> Iterator[Truth]:
    """Yield a comparison of two points at about one level, one of them clearly closer; of two things if possible."""
    distance, owner = shot.traced.distance, shot.traced.owner
    pairs = [
        (first, second)
        for first, second in combinations(clear_points(shot, rng, 300), 2)
        if _tilt_deg(first, second) <= 4
        and dist(first, second) >= 100
        and abs(first[0] + second[0] - SIZE_WH[0]) <= 0.4 * SIZE_WH[0]
        and owner[first[::-1]] != owner[second[::-1]]
        and max(distance[first[::-1]], distance[second[::-1]])
        >= FARTHER * min(distance[first[::-1]], distance[second[::-1]])
    ]
    of_things = [pair for pair in pairs if min(owner[point[::-1]] for point in pair) >= 0]
    for first, second in (of_things or pairs)[:1]:
        closer = "first" if distance[first[::-1]] < distance[second[::-1]] else "second"
        yield {"kind": "depth", "first": _centre(first), "second": _centre(second), "closer": closer}


def reflectances(shot: Shot, rng: np.random.Generator) -> Iterator[Truth]:
    """Yield comparisons of surfaces: clearly different ones, and equal ones of two things or in unlike light."""
    yielded: Counter[bool] = Counter()
    for first, second in combinations(clear_points(shot, rng, 160), 2):
        (albedo, light_there, owner), (other, other_light, other_owner) = (
            (shot.albedo[point[::-1]], shot.lighting[point[::-1]], shot.traced.owner[point[::-1]])
            for point in (first, second)
        )
        ratio = max(albedo, other) / min(albedo, other)
        is_equal = ratio <= SAME
        is_unlike = max(light_there, other_light) >= OTHER_LIGHT * min(light_there, other_light)
        if (
            yielded[is_equal] >= COMPARISONS
            or not 70 <= dist(first, second) <= 330
            or _tilt_deg(first, second) > 14
            or (is_equal and owner == other_owner and not is_unlike)
            or (not is_equal and ratio < DARKER)
        ):
            continue
        yielded[is_equal] += 1
        darker = "equal" if is_equal else "first" if albedo < other else "second"
        points = {"first": _centre(first), "second": _centre(second)}
        yield {"kind": "reflectance", **points, "darker": darker, "weight": 1.0}


def _centre(point: tuple[int, int]) -> list[float]:
    """Return the middle of a pixel."""
    return [point[0] + 0.5, point[1] + 0.5]


def three_things(rng: np.random.Generator) -> Scene:
    """Return a picture of a ball, a box and a cylinder, the ball on one of the others in a third of them."""
    while True:
        things = scattered(rng, ["ball", "box", "cylinder"])
        if rng.random() < 1 / 3:
            below = things[int(rng.integers(1, 3))]
            things[0] = Thing("ball", (*below.foot[:2], below.size[2]), (0.5,) * 3, things[0].color)
        room, camera = furnished(things, rng), held(rng)
        if seen_well(room, [camera]):
            break
    shot = shoot(room, camera, rng)
    return Scene((shot.pixels,), tuple(claims(room, camera)))


def claims(room: Room, camera: Camera) -> Iterator[Truth]:
    """Yield claims about each two things that are clearly true or clearly false, as the camera sees them."""
    for thing, other in permutations(room.things, 2):
        x, other_x = camera.project(np.array([thing.middle, other.middle]), SIZE_WH)[:, 0].tolist()
        ahead = (other.middle - thing.middle) @ camera.rotation[2]
        is_on = thing.foot[2] > 0 and thing.foot[:2] == other.foot[:2]
        relations = []
        if abs(x - other_x) >= 70:
            relations += [("left of", x < other_x), ("right of", x > other_x)]
        if abs(ahead) >= 0.9 and abs(x - other_x) <= 150 and not room.things[0].foot[2]:
            relations += [("in front of", ahead > 0), ("behind", ahead < 0)]
        relations.append(("on top of", is_on))
        for relation, is_true in relations:
            claim = f"The {thing.shape} is {relation} the {other.shape}."
            yield {"kind": "claims", "claim": claim, "relation": relation, "is_true": bool(is_true)}


def two_views(rng: np.random.Generator) -> Scene:
    """Return two pictures of one room, the camera 15 to 40 degrees farther around."""
    while True:
        shapes = rng.choice(list(PLURALS), int(rng.integers(3, 7))).tolist()
        room = furnished(scattered(rng, shapes), rng)
        turn = float(rng.uniform(15, 40) * rng.choice((-1, 1)))
        start = float(rng.uniform(-30, 30))
        cameras = [held(rng, start), held(rng, start + turn)]
        if abs(start + turn) <= 32 and seen_well(room, cameras):
            break
    shots = [shoot(room, camera, rng).pixels for camera in cameras]
    poses = [
        {
            "frame": frame,
            "rotation": camera.rotation.tolist(),
            "translation": (-camera.rotation @ np.array(camera.place)).tolist(),
        }
        for frame, camera in enumerate(cameras)
    ]
    return Scene(tuple(shots), ({"kind": "poses", "category": "group of things", "up": [0, 0, 1], "poses": poses},))


def part_of(
    place: tuple[float, float],
    turn: float,
    shape: str,
    right: float,
    front: float,
    bottom: float,
    size: Any,
    color: Any,
) -> Thing:
    """Return a part of a turned thing at a place, with its offset to the right and to the front."""
    c, s = cos(radians(turn)), sin(radians(turn))
    foot = (place[0] + c * right + s * front, place[1] + s * right - c * front, bottom)
    return Thing(shape, foot, size, color, turn)  # type: ignore[arg-type]  # a literal of each call


def figure(rng: np.random.Generator) -> dict[str, Thing]:
    """Return the parts of a toy figure that looks roughly to the front, with random build and pose."""
    x, y, turn = rng.uniform(-0.9, 0.9), rng.uniform(-0.3, 1.0), rng.uniform(-25, 25)
    legs, trunk, broad, head = rng.uniform((0.4, 0.6, 0.5, 0.4), (0.9, 1.0, 0.85, 0.6))
    skin, coat, shoes, cap = (MATERIALS[str(name)] for name in rng.choice(list(MATERIALS), 4, replace=False))
    part = partial(part_of, (x, y), turn)
    parts = {
        "trunk": part("box", 0, 0, legs, (broad, 0.35, trunk), coat),
        "head": part("ball", 0, 0, legs + trunk, (head,) * 3, skin),
        "nose": part("ball", 0, head / 2, legs + trunk + head / 2 - 0.06, (0.13,) * 3, (0.6, 0.05, 0.05)),
        "hat": part("cylinder", 0, 0, legs + trunk + 0.85 * head, (0.7 * head, 0.7 * head, 0.3), cap),
    }
    for name, side in (("left", -1), ("right", 1)):
        raised = radians(rng.uniform(-60, 60))
        parts[f"{name} leg"] = part("cylinder", side * broad / 4, 0, 0, (0.18, 0.18, legs), coat)
        parts[f"{name} foot"] = part("box", side * broad / 4, 0.1, 0, (0.22, 0.4, 0.16), shoes)
        for joint, way in enumerate((0.15, 0.32, 0.5)):
            across, up = side * (broad / 2 + way * cos(raised)), legs + 0.8 * trunk + way * sin(raised)
            is_hand = joint == 2
            size = (0.22,) * 3 if is_hand else (0.18,) * 3
            parts[f"{name} hand" if is_hand else f"{name} arm {joint}"] = part(
                "ball", across, 0, up - size[0] / 2, size, skin if is_hand else coat
            )
    return parts


NAMED_PARTS = ("hat", "nose", "trunk", "left hand", "right hand", "left foot", "right foot")
"""Common parts of figures; left and right are the viewer's."""


def places_shown(
    traced: Traced, camera: Camera, parts: Mapping[str, Thing], names: Sequence[str]
) -> dict[str, list[float]]:
    """Return the places of the visible middles of those named parts in a picture."""
    numbers, (height, width) = list(parts), traced.owner.shape
    shown = camera.project(np.array([parts[name].middle for name in names]), (width, height))
    return {
        name: [round(x, 2), round(y, 2)]
        for name, (x, y) in zip(names, shown.tolist(), strict=True)
        if 0 <= x < width and 0 <= y < height and traced.owner[int(y), int(x)] == numbers.index(name)
    }


def two_figures(rng: np.random.Generator) -> Scene:
    """Return two pictures, each of a figure, and the places of parts visible in both."""
    shots, places = [], []
    for _ in range(2):
        parts = figure(rng)
        room, camera = furnished(list(parts.values()), rng), held(rng, float(rng.uniform(-12, 12)), 3.8)
        shot = shoot(room, camera, rng)
        places.append(places_shown(shot.traced, camera, parts, NAMED_PARTS))
        shots.append(shot.pixels)
    names = [name for name in NAMED_PARTS if all(name in shown for shown in places)]
    first, second = ([shown[name] for name in names] for shown in places)
    truth = {"kind": "keypoints", "category": "toy figure", "names": names, "first": first, "second": second}
    return Scene(tuple(shots), (truth,) if names else ())


POURING_PARTS = ("grip", "spout's end", "knob of the lid", "body", "foot")
"""Parts for pouring: the grip, the outlet, the opening, the container, the stand."""


def vessel(rng: np.random.Generator, category: str) -> dict[str, Thing]:
    """Return the parts of a vessel with a spout to either side; a teapot's handle is opposite it, a kettle's above."""
    part = partial(part_of, (rng.uniform(-0.6, 0.6), rng.uniform(-0.6, 0.4)), rng.uniform(-20, 20))
    body, edge, knob, tip = (MATERIALS[str(name)] for name in rng.choice(list(MATERIALS), 4, replace=False))
    foot, wide = rng.uniform(0.12, 0.22), rng.uniform(0.8, 1.15)
    side, top = rng.choice((-1, 1)), foot + wide
    parts = {
        "foot": part("cylinder", 0, 0, 0, (0.75 * wide, 0.75 * wide, foot), edge),
        "body": part("ball", 0, 0, 0.97 * foot, (wide,) * 3, body),
        "knob of the lid": part("ball", 0, 0, top - 0.05, (0.26,) * 3, knob),
    }

    def row(name: str, last: str, bends: Sequence[tuple[float, float]], color: Any) -> None:
        """Add a row of balls along a bent line; the last one, or else the middle one, has a separate name."""
        line = np.array(bends)
        at = np.linspace(0, len(line) - 1, 4 * len(line) + 1)
        places = [[np.interp(way, range(len(line)), line[:, axis]) for axis in (0, 1)] for way in at]
        for number, (right, up) in enumerate(places):
            is_named = number == (len(places) - 1 if last == "spout's end" else len(places) // 2)
            size = (0.2,) * 3 if is_named else (0.15,) * 3
            key = last if is_named else f"{name} {number}"
            parts[key] = part("ball", right, 0, up - size[0] / 2, size, tip if is_named else color)

    out, rise = rng.uniform(0.35, 0.6), rng.uniform(0.15, 0.5)
    start = side * wide / 2, foot + wide * rng.uniform(0.3, 0.6)
    row("spout", "spout's end", [start, (start[0] + side * out, start[1] + rise)], edge)
    if category == "teapot":
        reach = rng.uniform(0.3, 0.45)
        low, up = foot + 0.25 * wide, foot + 0.8 * wide
        bends = [(-side * wide / 2, low), (-side * (wide / 2 + reach), (low + up) / 2), (-side * wide / 2, up)]
    else:
        peak = top + rng.uniform(0.45, 0.7)
        bends = [
            (-0.45 * wide, foot + 0.8 * wide),
            (-0.3 * wide, peak),
            (0.3 * wide, peak),
            (0.45 * wide, foot + 0.8 * wide),
        ]
    row("handle", "grip", bends, edge)
    return parts


def one_vessel(rng: np.random.Generator) -> Scene:
    """Return a picture of a vessel, and the visible places of its parts for pouring."""
    while True:
        category = str(rng.choice(("teapot", "kettle")))
        parts = vessel(rng, category)
        room, camera = furnished(list(parts.values()), rng), held(rng, float(rng.uniform(-12, 12)), 3.8)
        if len(places_shown(trace(room, camera, TRIAL_WH), camera, parts, POURING_PARTS)) < len(POURING_PARTS):
            continue
        shot = shoot(room, camera, rng)
        shown = places_shown(shot.traced, camera, parts, POURING_PARTS)
        if len(shown) == len(POURING_PARTS):
            break
    points = [shown[name] for name in POURING_PARTS]
    return Scene((shot.pixels,), ({"kind": "functions", "action": "Pour", "category": category, "points": points},))


def _material(thing: Thing) -> str:
    return next(name for name, color in MATERIALS.items() if color == thing.color)


KINDS: dict[str, Callable[[np.random.Generator], Scene]] = {
    "room": full_room,
    "three": three_things,
    "views": two_views,
    "figures": two_figures,
    "vessel": one_vessel,
}
"""Scenes by the prefix of their names."""


def write_scenes(folder: Path, scenes: int, seed: int, kinds: Sequence[str] = tuple(KINDS)) -> None:
    """Write pictures and table into a folder.

    Args:
        folder: Output folder.
        scenes: Number of scenes of each kind.
        seed: Seed of the scenes; each also depends on its kind and number.
        kinds: Kinds of scenes.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "scenes.jsonl").open("w", encoding="utf-8") as table:
        for kind in kinds:
            for number in range(scenes):
                scene = KINDS[kind](np.random.default_rng([seed, list(KINDS).index(kind), number]))
                names = [f"{kind}-{number}-{place}.png" for place in range(len(scene.pictures))]
                for name, pixels in zip(names, scene.pictures, strict=True):
                    Image.fromarray(pixels).save(folder / name)
                images = [{"image": name, "licence": "CC0"} for name in names]
                row = {"id": f"{kind}-{number}", "images": images, "truths": scene.truths}
                table.write(json.dumps(row) + "\n")


def main() -> None:
    """Write scenes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=40, help="scenes of each kind")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    write_scenes(options.folder, options.scenes, options.seed)


if __name__ == "__main__":
    main()
