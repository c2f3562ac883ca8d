"""A Ray cluster: joining or starting one, its nodes, and how many workers fit on them."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

from benchwright.engines.local import processors
from benchwright.engines.ray.shared_folders import Sight, Token
from benchwright.errors import BenchwrightError, PrerequisiteError
from benchwright.machine.versions import library_versions
from benchwright.steps import Resources

logger = logging.getLogger(__name__)

_OBJECT_STORE_BYTES = 80 << 20
"""Object store size in bytes of a cluster that Benchwright starts.

It is near Ray's minimum, because jobs and results are small, and pictures pass through the file system.
"""

ANSWER_S = 120.0
"""Seconds without a reply to the check of shared folders after which a node is considered broken."""


_NOTICED_S = 30.0
"""Seconds within which Ray notices that a node has died."""


class Node(NamedTuple):
    """A node of the cluster: a machine, or a unit that Ray treats as one.

    Args:
        id: Id that Ray gave the node.
        name: Name of the node in messages.
        cpus: Number of processors that Ray may allocate.
        memory: Memory in bytes that Ray may allocate.
        gpus: Number of GPUs that Ray may allocate.
    """

    id: str
    name: str
    cpus: float
    memory: float
    gpus: float

    def room_for(self, needs: Resources) -> int:
        """Return how many workers fit on the node if it is otherwise unused; each worker takes one processor."""
        limits = [int(self.cpus), int(self.memory / (needs.memory_mb << 20))]
        if needs.gpus >= 1:
            limits.append(int(self.gpus / needs.gpus))
        elif needs.gpus > 0:  # Ray never spreads a share of a GPU over two GPUs
            limits.append(int(self.gpus) * int(1 / needs.gpus + 1e-9))
        return min(limits)


def import_ray() -> Any:
    """Return the package `ray` with its usage statistics off.

    Raises:
        PrerequisiteError: Ray is not installed.
    """
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # read when Ray starts a process
    try:
        import ray
    except ImportError as error:
        raise PrerequisiteError(
            "--engine ray needs Ray; run: pip install 'benchwright[ray]' -c constraints.txt"
        ) from error
    return ray


@contextmanager
def joined(address: str | None, workers: int | None) -> Iterator[None]:
    """Join a cluster for the block: the one that this process has joined already, the one at `address`, or a new one.

    Args:
        address: `host:port` or `auto`; None for the cluster that RAY_ADDRESS names, or else for a new cluster on this
            machine only, which ends with the block.
        workers: Number of workers for which a new cluster is sized.

    Raises:
        PrerequisiteError: No cluster responds at the address, or this machine is not one of its nodes.
    """
    ray = import_ray()
    if ray.is_initialized():
        yield
        return
    address = address or os.environ.get("RAY_ADDRESS") or "local"
    settings: dict[str, Any] = {"log_to_driver": False, "logging_level": logging.ERROR}
    if address == "local":
        settings |= {"num_cpus": max(processors(), workers or 1), "include_dashboard": False}
        settings |= {"object_store_memory": _OBJECT_STORE_BYTES}
    else:
        _check_answers(address)
    try:
        ray.init(address=address, **settings)
    except Exception as error:  # Ray passes on the exceptions of its lower layers
        raise PrerequisiteError(
            f"cannot join a Ray cluster at {address} ({_last_line(error)}); start Ray on this machine with "
            "`ray start --head`, or `ray start --address HOST:PORT` to join one, and run the command there"
        ) from error
    _silence()
    try:
        yield
    finally:
        ray.shutdown()


def _check_answers(address: str) -> None:
    """Raise an error within seconds if nothing is listening at the address; Ray itself would retry for minutes."""
    if "://" in address:
        raise BenchwrightError(
            f"--address {address}: Ray's client protocol does not work here, since this command must see the workspace "
            "as the nodes do; run it on a node of the cluster, with --address auto"
        )
    host, _, port = address.rpartition(":")
    if not port.isdigit():
        return  # `auto`
    try:
        socket.create_connection((host.strip("[]"), int(port)), timeout=5).close()
    except OSError as error:
        raise PrerequisiteError(
            f"nothing answers at {address} ({error.strerror or error}); start Ray with `ray start --head` and give the "
            "address it prints"
        ) from error


def _silence() -> None:
    """Keep Ray's notices of dead workers off standard output, which holds results; Benchwright itself reports them."""
    import ray._private.worker as internals

    if hasattr(internals, "_worker_logs_enabled"):
        internals._worker_logs_enabled = False


def living_nodes() -> list[Node]:
    """Return the nodes that Ray considers alive, sorted by id."""
    ray = import_ray()
    nodes = []
    for node in ray.nodes():
        if node["Alive"]:
            has = node["Resources"]
            name = f"{node['NodeManagerHostname']} ({node['NodeManagerAddress']})"
            nodes.append(Node(node["NodeID"], name, has.get("CPU", 0), has.get("memory", 0), has.get("GPU", 0)))
    return sorted(nodes)


def room_for(needs: Resources) -> int:
    """Return the number of workers for which the living nodes have room."""
    return sum(node.room_for(needs) for node in living_nodes())


def check_nodes(token: Token) -> None:
    """Check that every node eligible for workers shares the folders and has the same library versions.

    Raises:
        BenchwrightError: A node does not share the folders, or cannot run Benchwright.
    """
    ray = import_ray()
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

    look = ray.remote(num_cpus=0, max_retries=0)(Token.look)
    node_of = {}
    for node in living_nodes():
        if node.cpus >= 1:
            strategy = NodeAffinitySchedulingStrategy(node.id, soft=False)
            node_of[look.options(scheduling_strategy=strategy).remote(token, node.id)] = node
    for answer, node in node_of.items():
        try:
            sight = ray.get(answer, timeout=ANSWER_S)
        except ray.exceptions.RayError as error:
            if not isinstance(error, ray.exceptions.RayTaskError) and _is_gone(node):
                logger.warning("node %s left the cluster before it got any work", node.name)
                continue
            raise PrerequisiteError(
                f"node {node.name} of the cluster cannot run Benchwright ({_last_line(error)}); install the same "
                "Benchwright and Ray there, or stop that node"
            ) from error
        token.check(node.name, sight)
        _compare_versions(node.name, sight)


def _is_gone(node: Node) -> bool:
    """Return whether Ray reports within `_NOTICED_S` seconds that a node has died."""
    until = time.monotonic() + _NOTICED_S
    while any(living_node.id == node.id for living_node in living_nodes()):
        if time.monotonic() > until:
            return False
        time.sleep(0.5)
    return True


def _compare_versions(name: str, sight: Sight) -> None:
    """Warn if a node has different library versions, since bytes may then depend on the node that processes a shard."""
    own_versions = library_versions()
    for library in sorted({*own_versions, *sight.versions}):
        version = sight.versions.get(library)
        if version != own_versions.get(library):
            logger.warning("node %s has %s %s, this machine %s", name, library, version, own_versions.get(library))


def _last_line(error: BaseException) -> str:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return lines[-1] if lines else type(error).__name__
