"""The number of concurrent requests: fewer after a 429, none while the server asks to wait, more again later."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any

from benchwright.models.endpoints.pace import Pace


def run(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    asyncio.run(work())


async def until_all_wait() -> None:
    """Let the other tasks run until each waits for a turn or has ended; none of them needs more than a few steps."""
    for _ in range(20):
        await asyncio.sleep(0)


def test_no_more_turns_are_given_than_allowed_and_the_first_to_come_is_next() -> None:
    async def work() -> None:
        pace, order = Pace(2), list[int]()

        async def one(number: int) -> None:
            await pace.turn()
            order.append(number)

        waiting = [asyncio.create_task(one(number)) for number in range(4)]
        await until_all_wait()
        assert order == [0, 1]
        pace.over()
        await until_all_wait()
        assert order == [0, 1, 2]
        pace.over()
        await asyncio.gather(*waiting)
        assert order == [0, 1, 2, 3]

    run(work)


def test_a_429_cuts_once_for_all_that_were_under_way_together_and_replies_bring_it_back() -> None:
    async def work() -> None:
        clock = [0.0]
        pace = Pace(10, now=lambda: clock[0])
        begun = [await pace.turn() for _ in range(10)]
        clock[0] = 1.0
        for began in begun:
            pace.too_many(began, None)
        assert pace.allowed == 7
        pace.too_many(1.0, None)
        assert pace.allowed == 4
        for _ in range(8):
            pace.went_well()
        assert pace.allowed == 6
        for _ in range(100):
            pace.went_well()
        assert pace.allowed == 10

    run(work)


def test_at_least_one_request_may_always_be_under_way() -> None:
    async def work() -> None:
        pace = Pace(3)
        for _ in range(50):
            pace.too_many(float("inf"), None)
        assert pace.allowed == 1

    run(work)


def test_a_pause_that_the_server_asks_for_holds_back_every_request() -> None:
    async def work() -> None:
        pace = Pace(5)
        began = await pace.turn()
        pace.over()
        pace.too_many(began, 0.15)
        loop = asyncio.get_running_loop()
        held_from = loop.time()
        await asyncio.gather(pace.turn(), pace.turn())
        assert 0.14 <= loop.time() - held_from < 2

    run(work)


def test_a_repetition_goes_before_those_that_were_never_sent() -> None:
    async def work() -> None:
        pace, order = Pace(1), list[str]()
        await pace.turn()

        async def one(name: str, *, first: bool) -> None:
            await pace.turn(first=first)
            order.append(name)
            pace.over()

        waiting = [asyncio.create_task(one("new", first=False))]
        await asyncio.sleep(0)
        waiting.append(asyncio.create_task(one("again", first=True)))
        await asyncio.sleep(0)
        pace.over()
        await asyncio.gather(*waiting)
        assert order == ["again", "new"]

    run(work)


def test_a_turn_that_was_given_up_goes_to_the_next() -> None:
    async def work() -> None:
        pace = Pace(1)
        await pace.turn()
        given_up, waiting = asyncio.create_task(pace.turn()), asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        pace.over()
        given_up.cancel()
        await asyncio.wait_for(waiting, 2)

    run(work)


def test_after_the_stop_nobody_gets_a_turn_and_everybody_gets_the_error() -> None:
    async def work() -> None:
        pace, error = Pace(1), RuntimeError("no request can succeed")
        await pace.turn()
        given_up, waiting = asyncio.create_task(pace.turn()), asyncio.create_task(pace.turn())
        await asyncio.sleep(0)
        pace.stop(error)
        given_up.cancel()
        pace.over()
        outcomes = await asyncio.gather(given_up, waiting, pace.turn(), return_exceptions=True)
        assert isinstance(outcomes[0], asyncio.CancelledError)
        assert outcomes[1:] == [error, error]

    run(work)
