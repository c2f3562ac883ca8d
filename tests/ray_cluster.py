"""Small Ray clusters on this machine: several nodes, each with nominal processors and GPUs."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from benchwright.engines.ray.cluster import living_nodes

STORE = 80 << 20


def need_ray() -> None:
    """Skip a module's tests, with a reason, if Ray is not installed."""
    pytest.importorskip("ray", reason="Ray is not installed; it comes with the extra `ray`")


@contextmanager
def cluster(*, cpus: int = 4) -> Iterator[Any]:
    """Start a head with this many processors; add nodes to it with `add`."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    from ray.cluster_utils import Cluster

    found = Cluster(
        initialize_head=True,
        head_node_args={"num_cpus": cpus, "num_gpus": 0, "include_dashboard": False, "object_store_memory": STORE},
    )
    try:
        yield found
    finally:
        found.shutdown()


def add(found: Any, *, cpus: int, gpus: float = 0, called: str = "second") -> Any:
    """Add a node; the variable TEST_NODE gives its workers its name."""
    return found.add_node(num_cpus=cpus, num_gpus=gpus, object_store_memory=STORE, env_vars={"TEST_NODE": called})


def kill(found: Any, node: Any) -> None:
    """End a node at once, as a power cut would, and wait until the cluster has noticed."""
    found.remove_node(node, allow_graceful=False)
    wait_until(lambda: node.unique_id not in {living_node.id for living_node in living_nodes()})


def wait_until(holds: Callable[[], object], *, seconds: float = 180.0) -> None:
    """Wait until a condition holds; fail on a timeout."""
    until = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < until, "it never came to that"
        time.sleep(0.01)


def lines(path: Path) -> list[str]:
    """Return the words of a file, which may not exist yet."""
    return path.read_text(encoding="utf-8").split() if path.exists() else []
