"""Messages if a cluster cannot be joined; no Ray is started here."""

from __future__ import annotations

import socket

import pytest
from ray_cluster import need_ray

from benchwright.engines.ray.cluster import joined
from benchwright.errors import BenchwrightError, PrerequisiteError

need_ray()


def test_an_address_at_which_nothing_listens_is_said_at_once() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{probe.getsockname()[1]}"
    with (
        pytest.raises(PrerequisiteError, match=f"nothing answers at {address}.*ray start --head"),
        joined(address, None),
    ):
        pass


def test_rays_client_protocol_is_refused_with_what_to_do_instead() -> None:
    with pytest.raises(BenchwrightError, match="run it on a node of the cluster"), joined("ray://head:10001", None):
        pass
