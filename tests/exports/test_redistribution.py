"""Pictures whose licenses forbid redistribution: they stop a release, or go into it as address and hash.

- All such pictures are named at once, with the possible remedies.
- A release with pictures by address verifies, and says so; after fetching them it is complete.
- Only the stated bytes are kept, from http and https, whatever the addresses or the servers do.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, ClassVar

import pytest
from photograph_bench import PhotographBench
from small_bench import BenchView, reseal
from walks import in_process, run_json

from benchwright.canonical import bytes_digest
from benchwright.errors import BenchwrightError, DataError
from benchwright.exports import export_release
from benchwright.exports.correct import correct_release
from benchwright.exports.freezing.step import Freeze, freeze
from benchwright.exports.rights.fetching import fetch_pictures
from benchwright.release import Release, drawn_pictures, verify_release
from benchwright.release.format.errata import Erratum

pytestmark = pytest.mark.slow


class _Pictures(BaseHTTPRequestHandler):
    """Answers with files by path, or as a path asks for: a redirect, another file, too many bytes, an error."""

    files: ClassVar[dict[str, bytes]] = {}

    def do_GET(self) -> None:
        where = self.path.strip("/")
        if where.startswith("to/"):
            self.send_response(302)
            self.send_header("location", self.path.removeprefix("/to/"))
            self.end_headers()
            return
        kind, _, name = where.rpartition("/")
        data = self.files.get(name)
        self.send_response(404 if data is None else 200)
        self.end_headers()
        if data is not None:
            self.wfile.write({"changed": data[:-1] + b"?", "long": data * 1000, "short": data[:9]}.get(kind, data))

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="module")
def server() -> Iterator[str]:
    """The address of a server of pictures on this machine."""
    serving = ThreadingHTTPServer(("127.0.0.1", 0), _Pictures)
    thread = threading.Thread(target=serving.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{serving.server_port}"
    serving.shutdown()
    thread.join()
    serving.server_close()


def bench_of(folder: Path, **urls: str) -> PhotographBench:
    """Return a bench with an item about each of some reserved photographs by name and address, and about a free one."""
    bench = PhotographBench(folder / "p")
    bench.ask(bench.photograph("free.jpg", 99, source={"licence": "CC-BY-4.0"}))
    for number, (name, url) in enumerate(urls.items()):
        source = {"licence": "all rights reserved", "url": url or None}
        record = bench.photograph(f"{name}.jpg", number, source=source)
        _Pictures.files[f"{name}.jpg"] = bench.files[record.image_id]
        bench.ask(record, marked=not number)
    return bench


def frozen(bench: PhotographBench, workspace: Path, **settings: Any) -> Release:
    wanted = Freeze.model_validate({"name": "tiny", "version": "1.0", **settings})
    return freeze(wanted, BenchView(bench, None), workspace=workspace, seed=1 << 60, recipe={"name": "tiny"})


def test_pictures_that_may_not_be_passed_on_stop_the_release_with_a_list(tmp_path: Path) -> None:
    bench = bench_of(tmp_path, a="", b="https://example.org/b.jpg")
    with pytest.raises(BenchwrightError, match="redistribute: url") as refusal:
        frozen(bench, tmp_path)
    lines = str(refusal.value).splitlines()
    assert lines[0].startswith("licenses forbid redistribution of 2 pictures")
    assert [line.strip() for line in lines[1:3]] == [
        f"{name}.jpg (LicenseRef-all-rights-reserved; 1 item)" for name in "ab"
    ]
    assert not (tmp_path / "releases").exists() or not list((tmp_path / "releases").iterdir())


def test_a_picture_without_an_address_stops_a_release_by_addresses_too(tmp_path: Path) -> None:
    with pytest.raises(BenchwrightError, match=r"1 picture(.|\n)*a\.jpg(.|\n)*no url"):
        frozen(bench_of(tmp_path, a="", b="https://example.org/b.jpg"), tmp_path, redistribute="url")


def test_whoever_has_been_permitted_releases_them(tmp_path: Path) -> None:
    release = frozen(bench_of(tmp_path, a=""), tmp_path, redistribute="all")
    assert release.manifest.by_address is None
    assert len(list(release.items())) == 2


@pytest.mark.parametrize("marked", [False, True])
def test_no_derivatives_permits_the_picture_as_it_is_and_not_with_marks(tmp_path: Path, marked: bool) -> None:
    bench = PhotographBench(tmp_path / "p")
    bench.ask(bench.photograph("a.jpg", source={"licence": "CC BY-ND 4.0"}), marked=marked)
    if not marked:
        assert len(frozen(bench, tmp_path)) == 1
        return
    with pytest.raises(BenchwrightError, match=r"a\.jpg \(CC-BY-ND-4\.0; 1 item\)"):
        frozen(bench, tmp_path)


def test_what_was_made_of_a_reserved_picture_may_not_be_passed_on_either(tmp_path: Path) -> None:
    bench = PhotographBench(tmp_path / "p")
    source = bench.photograph("a.jpg", source={"licence": "all rights reserved", "url": "https://example.org/a.jpg"})
    bench.ask(bench.made(source, 80))
    for redistribute in ("permitted", "url"):
        with pytest.raises(BenchwrightError, match=r"a\.jpg \(LicenseRef-all-rights-reserved"):
            frozen(bench, tmp_path, redistribute=redistribute)


def test_sealed_splits_state_no_addresses(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="they reveal the sources"):
        frozen(bench_of(tmp_path, a="https://example.org/a.jpg"), tmp_path, redistribute="url", sealed=("test",))


def test_a_release_by_addresses_is_whole_once_its_pictures_are_fetched(tmp_path: Path, server: str) -> None:
    bench = bench_of(tmp_path, a=f"{server}/a.jpg", b=f"{server}/to/{server}/b.jpg")
    release = frozen(bench, tmp_path, redistribute="url")
    held = b"".join(path.read_bytes() for path in release.path.rglob("*.parquet"))
    assert [name for name in "ab" if _Pictures.files[f"{name}.jpg"][-400:] in held] == []
    verification = verify_release(release.path)
    assert verification.ok, verification.problems
    assert any("2 pictures without files" in line for line in verification.not_proven)
    assert "## Pictures to fetch" in (release.path / "README.md").read_text()
    with pytest.raises(BenchwrightError, match="benchwright release fetch"):
        list(release.items())
    document = run_json("release", "fetch", release.path, "--private-hosts", "--json")
    assert (document["pictures"], document["fetched"], document["there"], document["missing"]) == (2, 2, 0, [])
    assert [picture.reason for picture in fetch_pictures(release)] == ["there", "there"]
    shown = {image_id: data for released in release.items() for image_id, data in released.images.items()}
    assert {_Pictures.files[f"{name}.jpg"] for name in "ab"} < set(shown.values())
    marked = next(released for released in release.items() if released.item.images[0].prompts)
    assert drawn_pictures(marked)[0].size == (37, 23)
    assert export_release(release, "jsonl", tmp_path / "out").checked["pictures"] == 3
    assert verify_release(release.path).ok


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("{server}/changed/a.jpg", "other_bytes"),
        ("{server}/long/a.jpg", "other_size"),
        ("{server}/short/a.jpg", "other_size"),
        ("{server}/gone.jpg", "status"),
        ("{server}/to/ftp://example.org/a.jpg", "bad_address"),
        ("{server}/to/file:///etc/passwd", "bad_address"),
        ("{server}" + "/to" * 7 + "/a.jpg", "redirects"),
        ("http://127.0.0.1:9/a.jpg", "unreachable"),
    ],
)
def test_what_is_not_the_stated_file_is_not_kept(tmp_path: Path, server: str, path: str, reason: str) -> None:
    release = frozen(bench_of(tmp_path, a=path.format(server=server)), tmp_path, redistribute="url")
    [picture] = fetch_pictures(release, private_hosts=True)
    assert picture.reason == reason
    assert picture.detail
    assert list((release.path.parent / f"{release.path.name}.pictures").iterdir()) == []


def test_hosts_of_private_networks_are_not_asked_unless_that_is_wished(tmp_path: Path, server: str) -> None:
    release = frozen(bench_of(tmp_path, a=f"{server}/a.jpg"), tmp_path, redistribute="url")
    done = in_process("release", "fetch", release.path)
    assert done.returncode == 1
    assert "private_host" in done.stdout
    assert "of 1 picture, 1 is missing" in done.stderr


def fetch_by_script(release: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the release's own script as a user with only Python."""
    return subprocess.run(
        [sys.executable, "-I", "-S", release / "fetch_pictures.py", *options],
        capture_output=True, text=True, check=False, timeout=60, env={},
    )  # fmt: skip


def test_the_script_in_the_release_fetches_without_benchwright(tmp_path: Path, server: str) -> None:
    urls = {"a": f"{server}/a.jpg", "b": f"{server}/to/{server}/b.jpg", "c": f"{server}/changed/c.jpg"}
    release = frozen(bench_of(tmp_path, **urls), tmp_path, redistribute="url")
    assert verify_release(release.path).ok
    refused = fetch_by_script(release.path)
    assert refused.returncode == 1
    assert refused.stdout.count("private_host") == 3
    done = fetch_by_script(release.path, "--private-hosts")
    assert done.returncode == 1, done.stderr
    lines = sorted(line.split(": ")[1] for line in done.stdout.splitlines())
    assert lines == ["fetched", "fetched", "other_bytes"]
    _Pictures.files["c.jpg"], kept = b"", _Pictures.files["c.jpg"]
    folder = release.path.with_name(f"{release.path.name}.pictures")
    assert {path.read_bytes() for path in folder.iterdir()} == {_Pictures.files[f"{name}.jpg"] for name in "ab"}
    assert sorted(picture.reason for picture in fetch_pictures(release, private_hosts=True)) == [
        "other_size", "there", "there",
    ]  # fmt: skip
    (folder / bytes_digest(kept)).write_bytes(kept)
    assert fetch_by_script(release.path).returncode == 0
    assert len(list(release.items())) == 4


def test_a_list_or_a_script_that_was_changed_is_told(tmp_path: Path) -> None:
    release = frozen(bench_of(tmp_path, a="https://example.org/a.jpg"), tmp_path, redistribute="url")
    listed = release.path / "pictures_by_address.csv"
    listed.write_text(listed.read_text().replace("example.org", "example.net"))
    script = release.path / "fetch_pictures.py"
    script.write_text(script.read_text() + "\n# more\n")
    reseal(release.path)
    verification = verify_release(release.path)
    assert [line.partition(":")[0] for line in verification.problems] == ["pictures_by_address.csv"]
    assert any("what fetch_pictures.py does" in line for line in verification.not_proven)


def test_a_picture_left_out_or_changed_later_is_found(tmp_path: Path, server: str) -> None:
    release = frozen(bench_of(tmp_path, a=f"{server}/a.jpg"), tmp_path, redistribute="url")
    [picture] = fetch_pictures(release, private_hosts=True)
    (release.path.parent / f"{release.path.name}.pictures" / picture.image_id).write_bytes(b"something else")
    with pytest.raises(DataError, match="does not match the SHA-256 in its name"):
        list(release.items())
    reseal(release.path, lambda document: document.pop("by_address"))
    assert any("states 0 pictures by address" in line for line in verify_release(release.path).problems)


def test_a_corrected_release_holds_no_more_than_the_one_before(tmp_path: Path, server: str) -> None:
    release = frozen(bench_of(tmp_path, a=f"{server}/a.jpg"), tmp_path, redistribute="url")
    fetch_pictures(release, private_hosts=True)
    free = next(one.item for one in release.items(fetched=False) if one.images)
    erratum = Erratum(
        item_id=free.item_id, content_hash=free.content_hash, release="tiny 1.0", release_id=release.release_id,
        finding="key_wrong", key="A", instead="B", agreed=2, asked=2,
    )  # fmt: skip
    after = correct_release(release, [erratum], version="1.1", out=tmp_path / "next")
    assert after.manifest.by_address == 1
    rows = [json.loads(json.dumps(row["image_ids"])) for row in after.rows(("item_id", "image_ids"))]
    assert len(rows) == 2
    assert verify_release(after.path).ok
