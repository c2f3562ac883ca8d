"""A server for the part of the Hugging Face Hub's API that publishing a dataset needs, including its refusals.

Routes, bodies and error codes are those that `huggingface_hub` 2.4 sends and reads. Files whose names git treats as
large are stored by SHA-256; all commits stay.
"""

from __future__ import annotations

import base64
import hashlib
import json
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

import yaml

LARGE = (".parquet", ".png", ".jpg")
WRITER, READER, EXPIRED = "hf_writer", "hf_reader", "hf_expired"
"""Tokens: one with write access to `lab`, one with read access only, and an expired one."""

Tree = dict[str, tuple[bytes, str | None]]
"""Files of a commit: bytes, and the SHA-256 of large ones."""


@dataclass
class Repo:
    """A dataset repository."""

    private: bool = False
    commits: dict[str, Tree] = field(default_factory=dict)
    messages: list[str] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)

    @property
    def head(self) -> str:
        return list(self.commits)[-1]

    @property
    def files(self) -> Tree:
        return self.commits[self.head]

    def commit(self, tree: Tree, message: str) -> str:
        oid = hashlib.sha1(f"{len(self.commits)} {message}".encode()).hexdigest()
        self.commits[oid] = tree
        self.messages.append(message)
        return oid


@dataclass
class Hub:
    """The Hub: its repositories, its requests, and its faults.

    Args:
        damages: Whether uploads arrive with one bit changed.
        refuse_uploads_after: Number of uploads after which storage refuses more; None for never.
        refuses_tags: Whether setting a tag fails.
        moves_on: Whether another commit precedes each arriving commit.
    """

    url: str = ""
    repos: dict[str, Repo] = field(default_factory=dict)
    stored: dict[str, bytes] = field(default_factory=dict)
    sent: Counter[str] = field(default_factory=Counter)
    requests: list[str] = field(default_factory=list)
    damages: bool = False
    refuse_uploads_after: int | None = None
    refuses_tags: bool = False
    moves_on: bool = False

    def create(self, name: str, *, private: bool = False, files: dict[str, bytes] | None = None) -> Repo:
        repo = self.repos[name] = Repo(private)
        tree: Tree = {".gitattributes": (b"*.parquet filter=lfs\n", None)}
        repo.commit(tree | {path: (data, None) for path, data in (files or {}).items()}, "initial commit")
        return repo


class _Refused(Exception):
    def __init__(self, status: int, message: str, code: str = "", **body: Any) -> None:
        self.status, self.message, self.code, self.body = status, message, code, body


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def log_message(self, *_: Any) -> None:
        pass

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_HEAD(self) -> None:
        self._answer()

    def _answer(self) -> None:
        path = unquote(urlsplit(self.path).path)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Transfer-Encoding") == "chunked":
            while size := int(self.rfile.readline(), 16):
                body += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        self.hub.requests.append(f"{self.command} {path}")
        try:
            reply = self._route(path, body)
        except _Refused as refused:
            headers = {"X-Error-Code": refused.code, "X-Error-Message": refused.message}
            self._send(refused.status, {"error": refused.message, **refused.body}, headers)
        else:
            if isinstance(reply, tuple):
                self._send(200, *reply)
            else:
                self._send(200, reply, {})

    def _send(self, status: int, reply: Any, headers: dict[str, str]) -> None:
        data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.send_header("Content-Type", "application/json")
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    @property
    def _token(self) -> str:
        return (self.headers.get("Authorization") or "").removeprefix("Bearer ")

    def _may_write(self) -> None:
        self._known()
        if not self._token:
            raise _Refused(401, "Invalid username or password.")
        if self._token != WRITER:
            raise _Refused(403, "you don't have the rights to write here")

    def _known(self) -> None:
        if self._token == EXPIRED:
            raise _Refused(401, "User Access Token is expired")

    def _repo(self, name: str) -> Repo:
        self._known()
        repo = self.hub.repos.get(name)
        if repo is None or (repo.private and not self._token):
            if not self._token:
                raise _Refused(401, "Invalid username or password.")
            raise _Refused(404, "Repository not found", "RepoNotFound")
        return repo

    def _tree(self, repo: Repo, revision: str) -> tuple[str, Tree]:
        oid = repo.head if revision == "main" else repo.tags.get(revision, revision)
        if oid not in repo.commits:
            raise _Refused(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return oid, repo.commits[oid]

    def _route(self, path: str, body: bytes) -> Any:
        parts = path.strip("/").split("/")
        if path == "/api/whoami-v2":
            self._known()
            return {"type": "user", "name": "ada", "orgs": [{"name": "lab"}]}
        if path == "/api/validate-yaml":
            return self._validate(json.loads(body)["content"])
        if path == "/api/repos/create":
            return self._create(json.loads(body))
        if parts[0] == "storage":
            return self._store(parts[1], body)
        if path.endswith(".git/info/lfs/objects/batch"):
            return self._batch(json.loads(body))
        if parts[:2] == ["api", "datasets"]:
            return self._of_repo(f"{parts[2]}/{parts[3]}", parts[4:], body)
        if parts[0] == "datasets" and parts[3] == "resolve":
            oid, tree = self._tree(self._repo(f"{parts[1]}/{parts[2]}"), parts[4])
            data = tree["/".join(parts[5:])][0]
            return data, {"X-Repo-Commit": oid, "ETag": f'"{_git(data)}"'}
        raise _Refused(404, f"no such route: {path}")

    def _validate(self, content: str) -> dict[str, Any]:
        settings = yaml.safe_load(content.split("---")[1]) if content.startswith("---") else {}
        errors = []
        licence = settings.get("license")
        if licence is not None and licence not in {"cc-by-4.0", "mit", "other"}:
            errors.append({"message": f'"license" must be one of the Hub\'s licences, and is {licence!r}'})
        if errors:
            raise _Refused(400, "Invalid metadata in README.md", errors=errors, warnings=[])
        return {"errors": [], "warnings": [] if settings else [{"message": "empty or missing yaml metadata"}]}

    def _create(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._may_write()
        if wish["organization"] != "lab":
            raise _Refused(403, f"You don't have the rights to create a dataset under {wish['organization']!r}")
        name = f"lab/{wish['name']}"
        if name in self.hub.repos:
            raise _Refused(409, "You already created this dataset repo")
        self.hub.create(name, private=wish.get("visibility") == "private")
        return {"url": f"{self.hub.url}/datasets/{name}", "name": name, "id": name}

    def _store(self, oid: str, body: bytes) -> dict[str, Any]:
        if self.hub.refuse_uploads_after is not None and self.hub.sent.total() >= self.hub.refuse_uploads_after:
            raise _Refused(403, "storage is closed for now")
        if self.hub.damages:
            body = bytes([body[0] ^ 1]) + body[1:]
        if hashlib.sha256(body).hexdigest() != oid:
            raise _Refused(400, f"the content sent does not have the SHA-256 {oid}")
        self.hub.sent[oid] += 1
        self.hub.stored[oid] = body
        return {}

    def _batch(self, wish: dict[str, Any]) -> dict[str, Any]:
        self._may_write()
        objects = []
        for wanted in wish["objects"]:
            there = wanted["oid"] in self.hub.stored
            upload = {"actions": {"upload": {"href": f"{self.hub.url}/storage/{wanted['oid']}", "header": {}}}}
            objects.append(wanted | ({} if there else upload))
        return {"transfer": "basic", "objects": objects}

    def _of_repo(self, name: str, route: list[str], body: bytes) -> Any:
        repo = self._repo(name)
        if not route or route[0] == "revision":
            oid, _ = self._tree(repo, route[1] if route else "main")
            return {"id": name, "sha": oid, "private": repo.private, "tags": [], "siblings": []}
        if route[0] == "refs":
            tags = [{"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": oid} for tag, oid in repo.tags.items()]
            main = {"name": "main", "ref": "refs/heads/main", "targetCommit": repo.head}
            return {"branches": [main], "converts": [], "tags": tags}
        if route[0] == "tree":
            return [_entry(path, *file) for path, file in self._tree(repo, route[1])[1].items()]
        self._may_write()
        if route[0] == "preupload":
            files = json.loads(body)["files"]
            return {"files": [self._mode(repo, wanted) for wanted in files]}
        if route[0] == "commit":
            return self._commit(name, repo, [json.loads(line) for line in body.splitlines()])
        if route[0] == "tag":
            return self._tag(repo, route[1], json.loads(body)["tag"])
        raise _Refused(404, f"no such route: {route}")

    def _mode(self, repo: Repo, wanted: dict[str, Any]) -> dict[str, Any]:
        there = repo.files.get(wanted["path"])
        mode = "lfs" if wanted["path"].endswith(LARGE) else "regular"
        oid = None if there is None else there[1] or _git(there[0])
        return {"path": wanted["path"], "uploadMode": mode, "shouldIgnore": False, "oid": oid}

    def _commit(self, name: str, repo: Repo, lines: list[dict[str, Any]]) -> dict[str, Any]:
        header = lines[0]["value"]
        if self.hub.moves_on:
            repo.commit(dict(repo.files), "somebody else")
        parent = header.get("parentCommit")
        if parent is not None and parent not in repo.commits:
            raise _Refused(404, f"the commit {parent} is missing", "RevisionNotFound")
        if parent is not None and parent != repo.head:
            raise _Refused(412, "A commit has happened since. Please refresh and try again.")
        tree = dict(repo.files)
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                tree[value["path"]] = (base64.b64decode(value["content"]), None)
            elif line["key"] == "lfsFile":
                if value["oid"] not in self.hub.stored:
                    raise _Refused(400, f"LFS pointer of {value['path']} points to a file that does not exist")
                tree[value["path"]] = (self.hub.stored[value["oid"]], value["oid"])
            elif line["key"] == "deletedFile":
                if value["path"] not in tree:
                    raise _Refused(404, "A file with this name doesn't exist", "EntryNotFound")
                del tree[value["path"]]
        oid = repo.commit(tree, header["summary"])
        return {"success": True, "commitOid": oid, "commitUrl": f"{self.hub.url}/datasets/{name}/commit/{oid}"}

    def _tag(self, repo: Repo, revision: str, tag: str) -> dict[str, Any]:
        if self.hub.refuses_tags:
            raise _Refused(400, "tags are closed for now")
        if tag in repo.tags:
            raise _Refused(409, f"Tag {tag} already exists")
        repo.tags[tag] = self._tree(repo, revision)[0]
        return {}


def _git(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def _entry(path: str, data: bytes, oid: str | None) -> dict[str, Any]:
    lfs = {} if oid is None else {"lfs": {"oid": oid, "size": len(data), "pointerSize": 130}}
    return {"type": "file", "path": path, "size": len(data), "oid": _git(data), **lfs}


@contextmanager
def running_hub() -> Iterator[Hub]:
    """Yield a Hub that listens on the loopback until the end."""
    hub = Hub()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Handler", (_Handler,), {"hub": hub}))
    hub.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
