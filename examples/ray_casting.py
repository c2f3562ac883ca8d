"""Pictures of simple things in a room, with the truth of each pixel: distance, thing and reflectance.

Balls, boxes and cylinders are on a floor in front of a wall, lit by a distant lamp and by the room. NumPy intersects
each pixel's ray with each of them. Lengths are in meters, z is up, colors are linear reflectances, 0-1.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import cos, radians, sin
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Color = tuple[float, float, float]
LUMINANCE = np.array([0.2126, 0.7152, 0.0722])
FLOOR, WALL = -2, -1
"""Owners of pixels without a thing."""
LAMPS = 3
"""Number of rays to places of the lamp; more make shadows softer."""
BLUR_PX, NOISE, EPSILON = 0.6, 0.008, 1e-4


@dataclass(frozen=True)
class Thing:
    """A thing in the room.

    Args:
        shape: Shape of the thing. A ball's diameter is its width; a cylinder is upright.
        foot: Middle of its bottom.
        size: Width, depth and height.
        color: Reflectance.
        turn_deg: Rotation in degrees, counter-clockwise from above.
        is_striped: Whether bands of its surface have half the reflectance.
    """

    shape: Literal["ball", "box", "cylinder"]
    foot: tuple[float, float, float]
    size: tuple[float, float, float]
    color: Color
    turn_deg: float = 0.0
    is_striped: bool = False

    @property
    def middle(self) -> Floats:
        """Return the middle of the thing."""
        x, y, bottom = self.foot
        return np.array((x, y, bottom + self.size[2] / 2))

    @property
    def radius(self) -> float:
        """Return the radius of a ball around the thing."""
        return self.size[0] / 2 if self.shape == "ball" else float(np.linalg.norm(self.size)) / 2


@dataclass(frozen=True)
class Room:
    """Floor, wall and light of a scene.

    Args:
        things: Things in the room.
        floor: Reflectance of the floor.
        wall: Reflectance of the wall.
        lamp: Direction toward the lamp.
        wall_y: Place of the wall.
        tile: Side of the floor's tiles, every other one slightly darker; 0 for none.
    """

    things: tuple[Thing, ...]
    floor: Color
    wall: Color
    lamp: tuple[float, float, float]
    wall_y: float = 4.0
    tile: float = 0.0


@dataclass(frozen=True)
class Camera:
    """A level camera.

    Args:
        place: Place of the camera.
        target: Point in the middle of its picture.
        focal_share: Focal length as a share of the picture's width.
    """

    place: tuple[float, float, float]
    target: tuple[float, float, float]
    focal_share: float = 0.95

    @property
    def rotation(self) -> Floats:
        """Return the axes of the camera as rows: right, down, ahead."""
        ahead = np.array(self.target) - self.place
        ahead /= np.linalg.norm(ahead)
        right = np.cross(ahead, (0.0, 0.0, 1.0))
        right /= np.linalg.norm(right)
        return np.array([right, np.cross(ahead, right), ahead])

    def project(self, points: Floats, size_wh: tuple[int, int]) -> Floats:
        """Return the places of points, (points, 3), in pixels of a picture, (points, 2), centers at +0.5."""
        seen = (points - np.array(self.place)) @ self.rotation.T
        return self.focal_share * size_wh[0] * seen[:, :2] / seen[:, 2:] + np.array(size_wh) / 2


class Traced(NamedTuple):
    """The scene at the pixels of a picture, each array (height, width), with a last axis of 3 for vectors.

    Args:
        distance: Distance from the camera.
        owner: Number of the thing; FLOOR or WALL if none.
        normal: Direction of the surface.
        point: Place of the surface.
        shares: Unhidden share of each thing, 0-1; 0 if the border of the picture cuts it.
    """

    distance: Floats
    owner: NDArray[np.int16]
    normal: Floats
    point: Floats
    shares: tuple[float, ...]


def trace(room: Room, camera: Camera, size_wh: tuple[int, int]) -> Traced:
    """Return the scene at each pixel."""
    width, height = size_wh
    columns, rows = np.meshgrid(np.arange(width) + 0.5 - width / 2, np.arange(height) + 0.5 - height / 2)
    local = np.stack([columns, rows, np.full(columns.shape, camera.focal_share * width)], axis=-1).reshape(-1, 3)
    rays = local @ camera.rotation
    rays /= np.linalg.norm(rays, axis=1, keepdims=True)
    start = np.array(camera.place)
    with np.errstate(divide="ignore"):
        to_floor = np.where(rays[:, 2] < 0, -start[2] / rays[:, 2], np.inf)
        to_wall = np.where(rays[:, 1] > 0, (room.wall_y - start[1]) / rays[:, 1], np.inf)
    distance = np.minimum(to_floor, to_wall)
    owner = np.where(to_floor < to_wall, FLOOR, WALL).astype(np.int16)
    normal = np.where((owner == FLOOR)[:, None], (0.0, 0.0, 1.0), (0.0, -1.0, 0.0))
    outlines = []
    for number, thing in enumerate(room.things):
        near = np.flatnonzero(_may_hit(thing, start[None], rays))
        reach, direction = _cut(thing, np.broadcast_to(start, (len(near), 3)), rays[near])
        outlines.append(near[np.isfinite(reach)])
        is_first = reach < distance[near]
        distance[near[is_first]] = reach[is_first]
        owner[near[is_first]] = number
        normal[near[is_first]] = direction[is_first]
    is_border = np.ones((height, width), bool)
    is_border[1:-1, 1:-1] = False
    shares = tuple(
        0.0 if not len(outline) or is_border.ravel()[outline].any() else float((owner[outline] == number).mean())
        for number, outline in enumerate(outlines)
    )
    return Traced(
        distance.reshape(height, width),
        owner.reshape(height, width),
        normal.reshape(height, width, 3),
        (start + rays * distance[:, None]).reshape(height, width, 3),
        shares,
    )


def reflectance(room: Room, traced: Traced) -> Floats:
    """Return the reflectance at each pixel, (height, width, 3), with the grain of the surface."""
    point = traced.point
    albedo = np.where((traced.owner == FLOOR)[..., None], room.floor, room.wall)
    if room.tile:
        is_other = (np.floor(point[..., 0] / room.tile) + np.floor(point[..., 1] / room.tile)) % 2 == 0
        albedo = np.where(((traced.owner == FLOOR) & is_other)[..., None], np.array(room.floor) * 0.9, albedo)
    for number, thing in enumerate(room.things):
        mine = traced.owner == number
        color = np.broadcast_to(thing.color, (int(mine.sum()), 3))
        if thing.is_striped:
            is_dark = np.floor((point[mine][:, 2] - thing.foot[2] - EPSILON) / thing.size[2] * 4) % 2 == 1
            color = np.where(is_dark[:, None], color * 0.5, color)
        albedo[mine] = color
    grain = np.sin(point @ (31.0, 17.0, 23.0)) * np.sin(point @ (-13.0, 41.0, 19.0) + 1.0)
    return np.asarray(albedo * (1 + 0.03 * grain[..., None]))


def light(room: Room, traced: Traced) -> Floats:
    """Return the light at each pixel, (height, width), from the room and, if nothing blocks it, from the lamp."""
    points = (traced.point + EPSILON * traced.normal).reshape(-1, 3)
    normal = traced.normal.reshape(-1, 3)
    lamp = np.array(room.lamp) / np.linalg.norm(room.lamp)
    rng = np.random.default_rng(1)
    lit = np.zeros(len(points))
    for _ in range(LAMPS):
        toward = lamp + rng.normal(0, 0.02, 3)
        toward /= np.linalg.norm(toward)
        is_free = normal @ toward > 0
        for thing in room.things:
            near = np.flatnonzero(is_free & _may_hit(thing, points, toward[None]))
            reach, _ = _cut(thing, points[near], np.broadcast_to(toward, (len(near), 3)))
            is_free[near[np.isfinite(reach)]] = False
        lit += is_free / LAMPS
    falling = lit * np.maximum(normal @ lamp, 0)
    fades = np.exp(-0.05 * ((points[:, 0] - lamp[0]) ** 2 + (points[:, 1] + 1) ** 2))
    return np.asarray((0.26 + 0.1 * normal[:, 2] + 1.2 * falling * fades).reshape(traced.owner.shape))


def photograph(albedo: Floats, lighting: Floats, rng: np.random.Generator) -> NDArray[np.uint8]:
    """Return the picture that a camera takes, as RGB: slightly blurred, with noise, in sRGB values."""
    import cv2

    linear = cv2.GaussianBlur(albedo * lighting[..., None], (0, 0), BLUR_PX)
    linear = np.clip(linear + rng.normal(0, NOISE, linear.shape) * np.sqrt(linear + 0.05), 0, 1)
    shown = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return np.asarray(np.round(shown * 255), np.uint8)


def _may_hit(thing: Thing, starts: Floats, rays: Floats) -> NDArray[np.bool_]:
    """Return whether each ray passes near enough to a thing's middle."""
    away = thing.middle - starts
    along = np.einsum("...k,...k->...", away, rays)
    beside = np.einsum("...k,...k->...", away, away) - along**2
    return np.asarray((beside <= thing.radius**2) & (along > -thing.radius))


def _cut(thing: Thing, starts: Floats, rays: Floats) -> tuple[Floats, Floats]:
    """Return the distance at which each ray enters a thing, infinite for a miss, and the surface's direction."""
    c, s = cos(radians(thing.turn_deg)), sin(radians(thing.turn_deg))
    turned = np.array([(c, -s, 0.0), (s, c, 0.0), (0.0, 0.0, 1.0)])
    local, ray = (starts - thing.middle) @ turned, rays @ turned
    half = np.array(thing.size) / 2
    with np.errstate(divide="ignore", invalid="ignore"):
        if thing.shape == "ball":
            enters, leaves = _round(local, ray, half[0], 3)
            normal = (local + ray * enters[:, None]) / half[0]
        else:
            low, high = (-half - local) / ray, (half - local) / ray
            first, last = np.minimum(low, high), np.maximum(low, high)
            if thing.shape == "box":
                side = first.argmax(axis=1)
                enters, leaves = first.max(axis=1), last.min(axis=1)
                normal = -np.sign(ray) * np.eye(3)[side]
            else:
                around, out = _round(local, ray, half[0], 2)
                enters, leaves = np.maximum(around, first[:, 2]), np.minimum(out, last[:, 2])
                is_side = (around > first[:, 2])[:, None]
                at = (local + ray * enters[:, None]) / half[0]
                normal = np.where(is_side, at * (1, 1, 0), -np.sign(ray) * (0, 0, 1))
        is_hit = (enters <= leaves) & (enters > EPSILON)
    return np.where(is_hit, enters, np.inf), np.where(is_hit[:, None], normal, 0.0) @ turned.T


def _round(local: Floats, ray: Floats, radius: float, axes: int) -> tuple[Floats, Floats]:
    """Return where rays enter and leave a ball (3 axes) or an endless upright cylinder (2); NaN for misses."""
    at, to = local[:, :axes], ray[:, :axes]
    a, b, c = (to**2).sum(axis=1), (at * to).sum(axis=1), (at**2).sum(axis=1) - radius**2
    root = np.sqrt(b**2 - a * c)
    return (-b - root) / a, (-b + root) / a


def luminance(colors: Sequence[float] | Floats) -> Floats:
    """Return the luminance of linear colors, 0-1."""
    return np.asarray(np.asarray(colors) @ LUMINANCE)
