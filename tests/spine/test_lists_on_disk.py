"""Lists by key on disk: the same content and order as a dictionary of lists, in memory that does not grow."""

from __future__ import annotations

import subprocess
import sys

import pytest

from benchwright.files.lists_on_disk import ListsOnDisk

KEYS: list[int | str] = [3, "3", 10**40, "", "a\ud800", 'it\'s "quoted"', -1]


def test_lists_are_those_of_a_dictionary() -> None:
    expected: dict[int | str, list[object]] = {}
    with ListsOnDisk[int | str]() as lists:
        for number in range(60):
            key = KEYS[number * number % len(KEYS)]
            expected.setdefault(key, []).append([number, "x" * number, None])
            lists.add(key, (number, "x" * number, None))
        assert list(lists) == list(expected)
        assert {key: lists[key] for key in KEYS} == {key: expected.get(key, []) for key in KEYS}
        assert [key in lists for key in KEYS] == [key in expected for key in KEYS]


def test_what_is_taken_out_while_keys_are_gone_through_is_gone() -> None:
    with ListsOnDisk[int]() as lists:
        for key in (5, 2, 9, 2):
            lists.add(key, key * 10)
        taken = {key: lists.pop(key) for key in lists if key != 9}
        assert taken == {5: [50], 2: [20, 20]}
        assert list(lists) == [9]
        assert lists.pop(2) == []


@pytest.mark.slow
def test_a_hundred_thousand_lists_take_a_few_megabytes() -> None:
    program = """
from pathlib import Path
from benchwright.files.lists_on_disk import ListsOnDisk
peak = lambda: int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0])
with ListsOnDisk() as lists:
    lists.add(0, ["x" * 200])
    before = peak()
    for key in range(100_000):
        lists.add(key, ["x" * 200])
    assert sum(len(lists.pop(key)) for key in lists) == 100_001
    print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    assert int(done.stdout) < 8_000
