"""Depth maps next to photographs: the meaning of their values, and pairs of points, one of which is closer.

A depth camera writes a 16-bit PNG with distances, and 0 where there is no measurement; this is recognized without a
statement. Models also write 16-bit PNGs, stretched to the full range of 0 to 65,535 and usually with larger values for
nearer points. The meaning of maps that reach both ends, of fractional values and of 8-bit maps is therefore unknown
until `depth.toml` states it:

    larger = "farther"          # or "nearer"
    unknown = [0]               # numbers without a measurement; this is the default
    estimated_by = "a model"    # leave it out for measured maps
"""

from __future__ import annotations

from math import log
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, ConfigDict, Field

from benchwright.canonical import file_digest
from benchwright.release.format.estimates import ESTIMATED_BY
from benchwright.seeds import generator_for
from benchwright.source_files.rows import BadRow

from ..ground_truth.truths import DepthComparison
from ..item_parts.marks.depth_pairs import Arrangement, PairLimits, depth_pairs
from .map_files import BAD_MAP, NOT_KNOWN, MapFile, one_channel, stated_about

_LEAST_RATIO, _FLAT_RATIO = 1.15, 1.05
"""Smallest ratio between the distances of the two points, and largest ratio around a point, if the map contains
distances.
"""
_OF_DISTANCES = PairLimits(margin=log(_LEAST_RATIO), flatness=log(_FLAT_RATIO))
_MOST_BYTES = 256 << 20
_ARRANGEMENTS: tuple[Arrangement, ...] = ("lower", "upper", "left", "right")

DepthMap = NDArray[np.float64]


class DepthStatement(BaseModel):
    """The content of `depth.toml`.

    Args:
        larger: Whether larger numbers are farther (distances) or nearer (disparity, inverse depth); None if not stated.
        unknown: Values that mark pixels without a measurement.
        estimated_by: Model that estimated the maps; None for measured maps.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)

    larger: Literal["farther", "nearer"] | None = None
    unknown: tuple[float, ...] = (0.0,)
    estimated_by: str | None = Field(None, min_length=1, max_length=200)


class MapDepths(NamedTuple):
    """Pairs of points of a photograph, in fractions of its sides, with the size of their map."""

    truths: tuple[DepthComparison, ...]
    map_wh: tuple[int, int]


def depth_truths(root: Path, entry: MapFile) -> MapDepths:
    """Return up to four pairs of points, with the closer one below, above, to the left and to the right of the other.

    The pairs below and above are returned only together: lower points are usually closer, which would reveal the key.

    Args:
        root: The folder.
        entry: The map.

    Raises:
        BadRow: The map cannot be read, the meaning of its values is unknown, or it contains no such pair.
    """
    place = root / entry.path
    statement = stated_about(root, entry.path, "depth", DepthStatement)
    depth = read_depth_map(place)
    larger = statement.larger or _known(place, depth)
    depth[np.isin(depth, np.array(statement.unknown))] = np.nan
    depth[~np.isfinite(depth)] = np.nan
    if larger == "farther":
        depth[depth <= 0] = np.nan
    if not np.isfinite(depth).any():
        raise BadRow("it contains no measurement", BAD_MAP)
    if larger == "farther":
        # Ratios of distances, so that neither the unit nor a far background matters.
        limits, nearness = _OF_DISTANCES, -np.log(depth)
    else:
        low, high = (float(bound) for bound in np.nanpercentile(depth, (1, 99)))
        if not high > low:
            raise BadRow("depth is the same everywhere", BAD_MAP)
        limits, nearness = PairLimits(), np.clip((depth - low) / (high - low), 0, 1)
    map_wh = (depth.shape[1], depth.shape[0])
    rng = generator_for(0, "depth_maps", file_digest(place))
    rounded = np.asarray(np.round(nearness, 4), np.float64)
    pairs = depth_pairs(rounded, map_wh, limits, rng, wanted=frozenset(_ARRANGEMENTS))
    truths = []
    is_even = pairs.keys() >= {"lower", "upper"}
    for arrangement in _ARRANGEMENTS:
        if arrangement in pairs and (is_even or arrangement in ("left", "right")):
            closer, farther = pairs[arrangement].closer, pairs[arrangement].farther
            original: dict[str, Any] = {
                "map": entry.path,
                "larger": larger,
                "closer_value": _value(depth, closer),
                "farther_value": _value(depth, farther),
            }
            if statement.estimated_by is not None:
                original[ESTIMATED_BY] = statement.estimated_by
            first, second = ((x / map_wh[0], y / map_wh[1]) for x, y in (closer, farther))
            truths.append(
                DepthComparison(first=first, second=second, closer="first", unit="fractions", original=original)
            )
    if not truths:
        raise BadRow(
            "no two flat places are level and differ clearly, nor is there a lower one and a higher one that is closer",
            "no_pair",
        )
    return MapDepths(tuple(truths), map_wh)


def _known(place: Path, depth: DepthMap) -> Literal["farther"]:
    """Return the meaning of larger values in a map without a statement.

    Raises:
        BadRow: The meaning is unknown.
    """
    state = 'state it in depth.toml beside the maps, as larger = "farther" or larger = "nearer"'
    if place.suffix.lower() != ".png":
        raise BadRow(f"it is unknown whether its larger numbers are nearer or farther; {state}", NOT_KNOWN)
    if depth.max() <= 255:
        raise BadRow(
            f"it has no number above 255, as pictures of depth have, which may mean either; {state}", NOT_KNOWN
        )
    if depth.min() == 0 and depth.max() == 65535:
        raise BadRow(f"it is stretched to all of 0 to 65,535, as models write maps, not cameras; {state}", NOT_KNOWN)
    return "farther"


def _value(depth: DepthMap, point: tuple[float, float]) -> float:
    return float(depth[int(point[1]), int(point[0])])


def read_depth_map(place: Path) -> DepthMap:
    """Return the values of a depth map, rows by columns; some values may not be finite.

    Raises:
        BadRow: The map cannot be read, or does not hold one value for each pixel.
    """
    suffix = place.suffix.lower()
    if suffix == ".npy":
        numbers = _array(place)
    elif suffix == ".png":
        numbers = one_channel(place)
    else:
        raise BadRow(f"{suffix} files are not supported; write the map as .npy or as a PNG of 16 bits", BAD_MAP)
    if numbers.ndim != 2 or numbers.size == 0 or numbers.dtype.kind not in "uif":
        raise BadRow(f"numbers of type {numbers.dtype} and shape {numbers.shape}, not rows by columns", BAD_MAP)
    return numbers.astype(np.float64)


def _array(place: Path) -> NDArray[Any]:
    try:
        if place.stat().st_size > _MOST_BYTES:
            raise BadRow(f"it has more than {_MOST_BYTES:,} bytes", BAD_MAP)
        # Mapped, so that a header that claims too many numbers takes no memory.
        return np.array(np.load(place, mmap_mode="r", allow_pickle=False))
    except (OSError, ValueError, EOFError) as error:
        if isinstance(error, BadRow):
            raise
        raise BadRow(f"it cannot be read ({type(error).__name__})", BAD_MAP) from error
