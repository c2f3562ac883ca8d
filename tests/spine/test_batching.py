"""Batches: every input gets its own result, similar inputs are batched together, and the memory limit is learned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from threading import Event, Timer

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchwright.models.batching import Batches, OutOfMemory, in_background, ran_out_of_memory


class Device:
    """Squares numbers, has room for the sum of so many, and remembers the batches that it was handed."""

    def __init__(self, room: int) -> None:
        self.room = room
        self.seen: list[list[int]] = []
        self.tidied = 0

    def work(self, batch: Sequence[int]) -> list[int]:
        self.seen.append(list(batch))
        if sum(batch) > self.room:
            raise MemoryError
        return [number * number for number in batch]

    def tidy(self) -> None:
        self.tidied += 1


numbers = st.lists(st.integers(1, 40), max_size=40)


@given(things=numbers, size=st.integers(1, 9), room=st.integers(1, 120), kinds=st.integers(1, 4))
def test_each_thing_gets_its_result_in_its_place_or_the_error_if_it_alone_is_too_large(
    things: list[int], size: int, room: int, kinds: int
) -> None:
    device = Device(room)
    found = Batches(size, device.tidy).run(things, device.work, key=lambda number: number % kinds)
    assert len(found) == len(things)
    for thing, result in zip(things, found, strict=True):
        assert isinstance(result, OutOfMemory) if thing > room else result == thing * thing
    assert device.tidied == sum(sum(batch) > room for batch in device.seen)


@given(things=numbers, size=st.integers(1, 9), kinds=st.integers(1, 4))
def test_with_memory_enough_batches_are_full_of_one_kind_and_nothing_is_done_twice(
    things: list[int], size: int, kinds: int
) -> None:
    device = Device(10**9)
    Batches(size).run(things, device.work, key=lambda number: number % kinds)
    by_kind = [[number for number in things if number % kinds == kind] for kind in range(kinds)]
    assert sorted(number for batch in device.seen for number in batch) == sorted(things)
    assert all(len({number % kinds for number in batch}) == 1 for batch in device.seen)
    assert len(device.seen) == sum(-(-len(one) // size) for one in by_kind)


@given(things=numbers, size=st.integers(1, 6), ahead=st.integers(1, 3), room=st.integers(1, 100))
def test_a_stream_gives_what_a_list_gives(things: list[int], size: int, ahead: int, room: int) -> None:
    listed = Batches(size).run(things, Device(room).work)
    streamed = Batches(size).stream(iter(things), Device(room).work, key=lambda number: number % 2, ahead=ahead)
    assert [repr(one) for one in streamed] == [repr(one) for one in listed]


def test_a_stream_takes_no_more_ahead_than_it_was_told_to() -> None:
    taken: list[int] = []
    source = (taken.append(number) or number for number in range(100))
    stream = Batches(3).stream(source, Device(10**9).work, ahead=2)
    assert next(stream) == 0
    assert taken == list(range(6))


def test_once_memory_ran_out_smaller_batches_stay() -> None:
    device = Device(5)
    batches = Batches(8)
    batches.run([1] * 8, device.work)
    batches.run([1] * 8, device.work)
    assert [len(batch) for batch in device.seen] == [8, 4, 4, 4, 4]


@pytest.mark.parametrize("returned", [1, 3])
def test_a_wrong_number_of_results_is_a_defect_and_said_so(returned: int) -> None:
    with pytest.raises(ValueError, match=rf"{returned} results? for a batch of 2"):
        Batches(4).run([1, 2], lambda batch: [0] * returned)


def test_batches_of_nothing_are_refused() -> None:
    with pytest.raises(ValueError, match="batch size is 0"):
        Batches(0)


def test_other_exceptions_are_not_taken_for_a_lack_of_memory() -> None:
    def work(batch: Sequence[int]) -> list[int]:
        raise RuntimeError("shapes cannot be multiplied")

    with pytest.raises(RuntimeError, match="shapes"):
        Batches(4).run([1, 2], work)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (MemoryError(), True),
        (type("OutOfMemoryError", (RuntimeError,), {})("CUDA"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried ..."), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"), True),
        (OutOfMemory("one alone"), True),
        (RuntimeError("device-side assert triggered"), False),
        (ValueError("out of memory"), False),
    ],
)
def test_every_librarys_way_of_saying_that_memory_ran_out_is_known(error: Exception, is_memory: bool) -> None:
    assert ran_out_of_memory(error) is is_memory


def test_results_are_made_while_earlier_ones_are_taken_and_come_in_order() -> None:
    made: list[int] = []
    all_made = Event()

    def results() -> Iterator[int]:
        for number in range(5):
            made.append(number)
            yield number
        all_made.set()

    taken = in_background(results())
    assert next(taken) == 0
    assert all_made.wait(10)  # though only one was taken
    assert made == [0, 1, 2, 3, 4]
    assert list(taken) == [1, 2, 3, 4]


def test_an_error_among_results_is_raised_in_its_place() -> None:
    def results() -> Iterator[int]:
        yield 1
        raise KeyError("two")

    taken = in_background(results())
    assert next(taken) == 1
    with pytest.raises(KeyError, match="two"):
        next(taken)


def test_whoever_takes_no_more_results_stops_them() -> None:
    made: list[int] = []
    go = Event()

    def results() -> Iterator[int]:
        for number in range(100):
            made.append(number)
            yield number
            go.wait(10)

    taken = in_background(results())
    assert next(taken) == 0
    Timer(0.2, go.set).start()
    taken.close()
    assert len(made) <= 2


def test_each_result_comes_with_its_place_once_its_batch_is_done() -> None:
    seen: list[list[int]] = []

    def work(batch: Sequence[int]) -> list[int]:
        seen.append(list(batch))
        return [10 * thing for thing in batch]

    coming = Batches(2).each([1, 2, 3, 4, 5], work, key=lambda thing: thing % 2)
    assert next(coming) == (0, 10)
    assert seen == [[1, 3]]
    assert list(coming) == [(2, 30), (4, 50), (1, 20), (3, 40)]
