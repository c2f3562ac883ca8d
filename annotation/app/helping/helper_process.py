"""The process that runs helpers: it opens each helper once, decodes pictures, stores embeddings, and ends with the app.

Messages are JSON over a socket; nothing is unpickled. The output of libraries goes to standard error.
"""

from __future__ import annotations

import json
import logging
import signal
import sys
from collections import OrderedDict
from collections.abc import Mapping
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from benchwright.canonical import canonical_json
from benchwright.errors import BenchwrightError, DataError, PrerequisiteError, UnreadableImage
from benchwright.images.decode import decode_rgb
from benchwright.regions import (
    HelperPicture,
    KeptArrays,
    Prepared,
    PreparingHelper,
    Proposed,
    RegionError,
    RegionHelper,
    RegionHints,
    helpers_of,
)

from ...workflow.image_files import ImageFiles

logger = logging.getLogger(__name__)

_EMBEDDINGS = "embeddings"
"""Folder in a workspace's cache with the data that helpers computed from pictures."""
_MOST_OPEN = 4
_MOST_PICTURES = 2


class HelperBench:
    """The opened helpers and most recently decoded pictures of one workspace.

    Args:
        workspace: Folder of the workspace.
    """

    def __init__(self, workspace: Path) -> None:
        self._images = ImageFiles(workspace)
        self._kept = KeptArrays(workspace / "cache" / _EMBEDDINGS)
        self._open: OrderedDict[str, RegionHelper] = OrderedDict()
        self._pictures: OrderedDict[str, HelperPicture] = OrderedDict()
        self._prepared: tuple[tuple[str, str], Prepared] | None = None
        self.embeddings = 0
        """Number of pictures that a helper has prepared."""

    def answer(self, message: Mapping[str, Any]) -> dict[str, Any]:
        """Return the answer to a message from `HelperLanes`: regions, or the reason why there are none."""
        try:
            helper = self._helper(message["helper"])
            picture = self._picture(message["image_id"], tuple(message["size_wh"]))
            if message["hints"] is None:
                if isinstance(helper, PreparingHelper):
                    self._prepare(helper, picture)
                else:
                    picture.decode()
                return {"regions": [], "refined": True}
            proposed = self._proposed(helper, picture, RegionHints.model_validate(message["hints"]))
        except RegionError as error:
            return {"refused": str(error)}
        except PrerequisiteError as error:
            return {"missing": str(error)}
        except (BenchwrightError, UnreadableImage) as error:
            return {"failed": str(error)}
        except Exception as error:  # report any error of a model or library, and continue
            logger.exception("helper %s", message["helper"].get("name"))
            return {"failed": f"{type(error).__name__}: {str(error)[:200]}"}
        regions = [region.model_dump(mode="json") for region in proposed.regions]
        return {"regions": regions, "refined": proposed.is_refined, "made_with": dict(helper.made_with)}

    def _proposed(self, helper: RegionHelper, picture: HelperPicture, hints: RegionHints) -> Proposed:
        if isinstance(helper, PreparingHelper):
            proposed = helper.propose_from(self._prepare(helper, picture), picture, hints)
        else:
            proposed = helper.propose(picture, hints)
        for region in proposed.regions:
            region.check_within([picture.size_wh])
        return proposed

    def _prepare(self, helper: PreparingHelper, picture: HelperPicture) -> Prepared:
        """Return a helper's data about a picture from memory or disk; otherwise compute and store the data."""
        key = picture.image_id, helper.prepared_as
        if self._prepared is not None and self._prepared[0] == key:
            return self._prepared[1]
        prepared: Prepared | None = self._kept.get(*key)
        if prepared is None:
            prepared = helper.prepare(picture)
            self.embeddings += 1
            self._kept.keep(*key, prepared)
        self._prepared = key, prepared
        return prepared

    def _helper(self, document: Mapping[str, Any]) -> RegionHelper:
        key = canonical_json(dict(document))
        if key not in self._open:
            [named] = helpers_of([document])
            if (why := named.settings.missing()) is not None:
                raise PrerequisiteError(why)
            self._open[key] = named.settings.open()
            if len(self._open) > _MOST_OPEN:
                self._open.popitem(last=False)
        self._open.move_to_end(key)
        return self._open[key]

    def _picture(self, image_id: str, size_wh: tuple[int, ...]) -> HelperPicture:
        if image_id not in self._pictures:
            width, height = size_wh

            def decode() -> Any:
                pixels = decode_rgb(self._images.data(image_id))
                if pixels.shape[:2] != (height, width):
                    raise DataError(f"picture {image_id[:12]} no longer has {width} x {height} pixels")
                return pixels

            self._pictures[image_id] = HelperPicture(image_id, (width, height), decode)
            if len(self._pictures) > _MOST_PICTURES:
                self._pictures.popitem(last=False)
        self._pictures.move_to_end(image_id)
        return self._pictures[image_id]


def main(workspace: Path, descriptor: int) -> None:
    """Answer messages until the app closes the connection."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the app handles interrupts
    sys.stdout = sys.stderr
    bench, connection = HelperBench(workspace), Connection(descriptor)
    while True:
        try:
            message = json.loads(connection.recv_bytes())
        except EOFError:
            return
        answer = {"id": message["id"], **bench.answer(message)}
        try:
            connection.send_bytes(json.dumps(answer).encode())
        except OSError:  # the app is gone
            return


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
