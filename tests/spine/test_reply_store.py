"""Replies to steps: stored for all workers and runs, so that none is paid for twice, and counted in budgets."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from chat_server import ChatServer, reasoning_model
from PIL import Image
from sane_model import ideas_recipe, model_of_many_pictures
from walks import command, in_process, tree_digest

from benchwright.errors import DataError
from benchwright.models.endpoints.chat import Chat, ChatSettings
from benchwright.models.endpoints.reply_store import ReplyStore, damaged_replies
from benchwright.models.endpoints.usage import BudgetSpent
from benchwright.pipeline.mending.check import problems_of
from benchwright.workspace.workspace import Workspace

MINUTE_S = 60.0


@pytest.fixture
def server(chat_server: ChatServer) -> ChatServer:
    chat_server.behave = lambda words, attempt, handler: f"reply {attempt} to {words}"
    return chat_server


@pytest.fixture
def connect(server: ChatServer, tmp_path: Path) -> Iterator[Any]:
    """Connect as a worker would: each connection opens the file of replies for itself."""
    with ExitStack() as opened:

        def connection(**settings: Any) -> Chat:
            store = opened.enter_context(closing(open_store(tmp_path)))
            chat = Chat(ChatSettings(**{"model": "m", "base_url": server.url, "retries": 0, **settings}), replies=store)
            opened.callback(chat.close)
            return chat

        yield connection


def open_store(folder: Path) -> ReplyStore:
    return ReplyStore(folder / "replies" / "steps.sqlite", tmp=folder / "tmp")


def test_a_reply_is_asked_for_once_by_all_connections(server: ChatServer, connect: Any) -> None:
    replies = [connect().ask("which?") for _ in range(3)]
    assert replies == ["reply 1 to which?"] * 3
    assert server.sent == {"which?": 1}


@pytest.mark.parametrize("changed", [{"seed": 4}, {"temperature": 0.5}, {"model": "other"}, {"fields": {"top_k": 3}}])
def test_other_settings_ask_anew(server: ChatServer, connect: Any, changed: dict[str, Any]) -> None:
    connect().ask("which?")
    assert connect(**changed).ask("which?") == "reply 2 to which?"


def test_another_picture_asks_anew_and_the_same_one_does_not(server: ChatServer, connect: Any) -> None:
    pictures = [np.full((5, 7, 3), grey, np.uint8) for grey in (10, 20, 10)]
    assert [connect().ask(picture, "?")[:7] for picture in pictures] == ["reply 1", "reply 2", "reply 1"]


def test_patience_and_budgets_do_not_ask_anew(server: ChatServer, connect: Any) -> None:
    connect().ask("which?")
    connect(timeout_s=7, retries=3, budget_requests=9).ask("which?")
    assert server.sent == {"which?": 1}


def test_a_failure_is_not_kept(server: ChatServer, connect: Any) -> None:
    server.behave = lambda words, attempt, handler: server.say(handler, 400, {}) if attempt == 1 else "now"
    with pytest.raises(Exception, match="HTTP 400"):
        connect().ask("which?")
    assert connect().ask("which?") == "now"


def test_a_kept_reply_of_a_model_that_refuses_fields_takes_no_request(server: ChatServer, connect: Any) -> None:
    server.behave = reasoning_model
    connect().ask("?")
    requests = len(server.bodies)
    assert connect().ask("?") == "(B)"
    assert len(server.bodies) == requests


def test_two_workers_that_ask_at_once_go_on_with_one_reply(server: ChatServer, connect: Any) -> None:
    both = threading.Barrier(2)

    def behave(words: str, attempt: int, handler: Any) -> str:
        both.wait(MINUTE_S)
        return f"reply {attempt}"

    server.behave = behave
    chats, replies = [connect(), connect()], []
    threads = [threading.Thread(target=lambda chat=chat: replies.append(chat.ask("?"))) for chat in chats]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(replies)) == 1


def test_the_file_holds_no_key_and_is_its_owners(
    server: ChatServer, connect: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret-4711")
    server.behave = lambda words, attempt, handler: "your key is sk-secret-4711"
    connect().ask("which?")
    assert server.keys == ["Bearer sk-secret-4711"]
    file = tmp_path / "replies" / "steps.sqlite"
    assert b"[key]" in file.read_bytes()
    assert b"sk-secret" not in b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert file.stat().st_mode & 0o077 == 0


def test_a_damaged_reply_is_found_and_asked_for_again(server: ChatServer, connect: Any, tmp_path: Path) -> None:
    connect().ask("which?")
    file = tmp_path / "replies" / "steps.sqlite"
    file.write_bytes(file.read_bytes().replace(b"reply 1 to", b"reply 7 to"))
    assert damaged_replies(file) == 1
    assert connect().ask("which?") == "reply 2 to which?"
    assert damaged_replies(file) == 0


def test_check_finds_a_damaged_reply_and_repair_takes_it_out(server: ChatServer, connect: Any, tmp_path: Path) -> None:
    connect().ask("which?")
    connect().ask("and now?")
    space = Workspace(tmp_path)
    space.step_replies.write_bytes(space.step_replies.read_bytes().replace(b"reply 1 to which", b"reply 7 to which"))
    [problem] = [problem for problem in problems_of(space) if problem.path == "replies/steps.sqlite"]
    assert problem.what.startswith("has 1 damaged repl")
    assert problem.mend is not None
    problem.mend()
    assert damaged_replies(space.step_replies) == 0
    connect().ask("and now?")
    assert server.sent == {"which?": 1, "and now?": 1}


def test_a_file_that_is_no_database_is_named(tmp_path: Path) -> None:
    file = tmp_path / "replies" / "steps.sqlite"
    file.parent.mkdir()
    file.write_bytes(b"no database at all" * 300)
    with pytest.raises(DataError, match=r"steps\.sqlite cannot be used .* restore a backup"):
        open_store(tmp_path)


def test_a_file_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    open_store(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "replies" / "steps.sqlite")) as database:
        database.execute("PRAGMA user_version = 2")
    with pytest.raises(DataError, match="has version 2, but this program reads 1"):
        open_store(tmp_path)


def test_a_budget_counts_the_requests_of_all_connections(server: ChatServer, connect: Any) -> None:
    first, second = connect(budget_requests=3), connect(budget_requests=3)
    for number, chat in enumerate((first, second, first)):
        chat.ask(str(number))
    with pytest.raises(BudgetSpent, match=r"the budget is spent \(3 requests, .*run the recipe with a larger budget"):
        second.ask("one more")
    assert second.ask("0") == "reply 1 to 0"  # what is kept costs nothing
    assert connect(budget_requests=4).ask("one more")


def test_what_was_spent_without_a_budget_counts(server: ChatServer, connect: Any) -> None:
    connect().ask("1")
    connect().ask("2")
    with pytest.raises(BudgetSpent):
        connect(budget_requests=2).ask("3")


def test_tokens_and_money_of_all_connections_count(server: ChatServer, connect: Any) -> None:
    server.behave = reasoning_model  # 85 tokens, of which 75 are received
    settings = {"omit": ["temperature", "max_tokens"], "price_in": 0, "price_out": 1_000_000}
    connect(**settings).ask("1")
    connect(**settings).ask("2")
    with pytest.raises(BudgetSpent, match=r"20 tokens sent and 150 received, cost 150\.0000"):
        connect(**settings, budget=224).ask("3")
    with pytest.raises(BudgetSpent):
        connect(**settings, budget_tokens=254).ask("3")
    connect(**settings, budget=225, budget_tokens=255).ask("3")


def test_a_spent_budget_waits_for_what_others_have_under_way(server: ChatServer, connect: Any) -> None:
    arrived = threading.Event()

    def behave(words: str, attempt: int, handler: Any) -> str:
        arrived.set()
        server.over.wait(0.3)  # longer than a refusal takes
        return "paid for"

    server.behave = behave
    other, ours = connect(budget_requests=1), connect(budget_requests=1)
    thread = threading.Thread(target=other.ask, args=("slow",))
    thread.start()
    assert arrived.wait(MINUTE_S)
    with pytest.raises(BudgetSpent):
        ours.ask("too much")
    assert ours.ask("slow") == "paid for"
    thread.join()


@pytest.mark.parametrize("settings", [{"price_in": 1}, {"budget": 2.0}])
def test_prices_go_together_and_a_budget_in_money_needs_them(settings: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="price_in and price_out"):
        ChatSettings(model="m", **settings)


@pytest.fixture
def scene(server: ChatServer, tmp_path: Path) -> Path:
    """A folder with photographs, and a server with a sane model that says how many tokens it took."""
    folder = tmp_path / "photographs"
    folder.mkdir()
    noise = np.random.default_rng(1)
    for number in range(6):
        pixels = noise.integers(0, 256, (40 + number, 64, 3), dtype=np.uint8)
        Image.fromarray(pixels).save(folder / f"{number}.png")
    server.behave = model_of_many_pictures
    return tmp_path


def arguments(scene: Path, file: Path, workspace: str) -> list[object]:
    return ["run", file, "--images", scene / "photographs", "--workspace", scene / workspace, "--workers", 2]


def requests(server: ChatServer) -> Counter[str]:
    """Return how often each request was sent, by its whole body."""
    return Counter(json.dumps(body, sort_keys=True) for body in server.bodies)


@pytest.mark.slow
def test_a_killed_run_asks_nothing_twice_that_was_answered(scene: Path, server: ChatServer) -> None:
    file = ideas_recipe(scene, server.url)
    assert in_process(*arguments(scene, file, "calm")).returncode == 0
    calm = len(server.bodies)
    server.bodies.clear()
    before_kill, unheld = threading.Event(), threading.Semaphore(calm // 2)
    answered: list[str] = []

    def behave(words: str, attempt: int, handler: Any) -> str | None:
        if unheld.acquire(blocking=False):
            answered.append(json.dumps(handler.body, sort_keys=True))
            return model_of_many_pictures(words, attempt, handler)
        before_kill.set()
        server.over.wait(MINUTE_S)  # the rest is under way, and never answered, when the run is killed
        return None

    server.behave = behave
    process = subprocess.Popen(
        command(*arguments(scene, file, "w")),
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    assert before_kill.wait(MINUTE_S)
    while kept(scene / "w") < calm // 2:
        assert process.poll() is None
        threading.Event().wait(0.01)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    server.behave = model_of_many_pictures
    assert in_process(*arguments(scene, file, "w")).returncode == 0
    assert len(answered) == calm // 2
    assert {requests(server)[request] for request in answered} == {1}
    assert tree_digest(scene / "w") == tree_digest(scene / "calm")


def kept(workspace: Path) -> int:
    try:
        with closing(sqlite3.connect(workspace / "replies" / "steps.sqlite", timeout=MINUTE_S)) as database:
            return int(database.execute("SELECT count(*) FROM reply").fetchone()[0])
    except sqlite3.OperationalError:
        return 0


@pytest.mark.slow
def test_a_step_that_runs_again_asks_only_what_is_new(scene: Path, server: ChatServer) -> None:
    assert in_process(*arguments(scene, ideas_recipe(scene, server.url), "w")).returncode == 0
    more = ideas_recipe(scene, server.url, categories=("B1", "B2", "I1"))
    assert in_process(*arguments(scene, more, "w")).returncode == 0
    assert set(requests(server).values()) == {1}


@pytest.mark.slow
def test_a_spent_budget_ends_the_run_and_a_larger_one_completes_it(scene: Path, server: ChatServer) -> None:
    ended = in_process(*arguments(scene, ideas_recipe(scene, server.url, budget_requests=11), "w"))
    assert ended.returncode == 1
    [line] = [line for line in ended.stderr.splitlines() if "error" in line]
    assert line.startswith("benchwright: error: the budget is spent (11 requests, 0 tokens sent and 0 received), and ")
    assert len(server.bodies) == kept(scene / "w") == 11
    assert in_process(*arguments(scene, ideas_recipe(scene, server.url, budget_requests=1000), "w")).returncode == 0
    assert set(requests(server).values()) == {1}
    requests_of_a_run = len(server.bodies)
    assert in_process(*arguments(scene, ideas_recipe(scene, server.url), "w")).returncode == 0
    assert len(server.bodies) == requests_of_a_run
    assert in_process(*arguments(scene, ideas_recipe(scene, server.url), "calm")).returncode == 0
    assert tree_digest(scene / "w") == tree_digest(scene / "calm")
