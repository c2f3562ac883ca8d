"""The lock among threads goes to the thread that has waited longest, and never to one that has given up."""

from __future__ import annotations

import threading
import time

from benchwright.annotation.store.database.turns import FairLock


def _wait_until(count: int, lock: FairLock) -> None:
    """Wait until this many threads are in the queue."""
    while len(lock._waiting) < count:
        time.sleep(0.001)


def test_threads_get_the_lock_in_the_order_in_which_they_asked() -> None:
    lock, order = FairLock(), list[int]()

    def ask(number: int) -> None:
        with lock:
            order.append(number)

    threads = [threading.Thread(target=ask, args=(number,)) for number in range(20)]
    with lock:
        for number, thread in enumerate(threads, 1):
            thread.start()
            _wait_until(number, lock)
    for thread in threads:
        thread.join(timeout=10)
    assert order == list(range(20))


def test_whoever_lets_it_go_and_asks_again_comes_after_those_who_waited() -> None:
    lock, order = FairLock(), list[str]()

    def ask() -> None:
        with lock:
            order.append("waited")

    thread = threading.Thread(target=ask)
    with lock:
        thread.start()
        _wait_until(1, lock)
    with lock:
        order.append("again")
    thread.join(timeout=10)
    assert order == ["waited", "again"]


def test_one_thread_at_a_time_holds_it() -> None:
    lock, inside, most = FairLock(), [0], [0]

    def work() -> None:
        for _ in range(200):
            with lock:
                inside[0] += 1
                most[0] = max(most[0], inside[0])
                inside[0] -= 1

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert most == [1]
    assert lock.acquire(timeout=0)


def test_who_gives_up_is_passed_over() -> None:
    lock = FairLock()
    assert lock.acquire()
    assert not lock.acquire(timeout=0.01)
    lock.release()
    assert lock.acquire(timeout=0)
    lock.release()
