"""A release is proven to be the one that was frozen by its id or by an SSH signature, and by nothing inside it.

Keys, signatures and agents are real ones of OpenSSH's `ssh-keygen`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from small_bench import reseal, small_bench
from walks import in_process

from benchwright.release import Release

pytestmark = [
    pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen (OpenSSH) is not installed"),
    pytest.mark.slow,
]

FROZEN = "that this is the frozen release"


def _keygen(*arguments: str | Path, stdin: bytes | None = None, env: dict[str, str] | None = None) -> bytes:
    done = subprocess.run(["ssh-keygen", *map(str, arguments)], input=stdin, capture_output=True, check=True, env=env)
    return done.stdout


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folder with the keys of Ada and Bob, and a file that allows Ada's."""
    folder = tmp_path_factory.mktemp("keys")
    for name in ("ada", "bob"):
        _keygen("-q", "-t", "ed25519", "-N", "", "-C", name, "-f", folder / name)
    (folder / "allowed").write_text(f"ada@example.org {(folder / 'ada.pub').read_text()}")
    return folder


@pytest.fixture(scope="module")
def whole(keys: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = small_bench().write(tmp_path_factory.mktemp("whole") / "r").path
    signed = in_process("release", "sign", folder, "--key", keys / "ada", "--json")
    assert signed.returncode == 0, signed.stderr
    document = json.loads(signed.stdout)
    assert document["signature"] == str(folder / "manifest.json.sig")
    assert document["release_id"] == Release.open(folder).release_id
    assert document["key"].startswith("ED25519 key SHA256:")
    return folder


@pytest.fixture
def folder(whole: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(whole, tmp_path / "r"))


def verify(folder: Path, *options: str | Path, code: int = 0, env: dict[str, str] | None = None) -> dict[str, Any]:
    done = in_process("release", "verify", folder, *options, "--json", **({"env": env} if env else {}))
    assert done.returncode == code, done.stdout + done.stderr
    return dict(json.loads(done.stdout))


def forge(folder: Path) -> None:
    """Change the recipe's seed, which nothing in the release contradicts, and write the manifest anew."""
    reseal(folder, lambda manifest: manifest.update(seed=18))


def test_a_release_that_agrees_with_itself_is_not_said_to_be_the_one_that_was_frozen(folder: Path) -> None:
    (folder / "manifest.json.sig").unlink()
    forge(folder)
    found = verify(folder)
    assert found["ok"] is True
    assert any(line.startswith(FROZEN) for line in found["not_proven"])
    assert not any("expected" in line or "signed" in line for line in found["proven"])


def test_the_expected_release_id_proves_the_manifest(folder: Path) -> None:
    release_id = Release.open(folder).release_id
    for spelled in (release_id, release_id.upper()):
        found = verify(folder, "--expect", spelled)
        assert "manifest.json is the one with the expected release id" in found["proven"]
        assert not any(line.startswith(FROZEN) for line in found["not_proven"])
    forge(folder)
    (folder / "manifest.json.sig").unlink()
    found = verify(folder, "--expect", release_id, code=1)
    [problem] = found["problems"]
    assert problem.startswith(f"manifest.json: is not the expected one: {release_id}")
    assert found["proven"] == []


def test_some_digits_of_an_id_prove_less_and_it_is_said(folder: Path) -> None:
    found = verify(folder, "--expect", Release.open(folder).release_id[:12])
    assert "manifest.json is the one with the expected release id, by its first 12 digits" in found["proven"]
    assert any("12 of 64 digits, which takes 48 bits of trying" in line for line in found["not_proven"])


def test_the_expected_content_id_proves_the_items_and_no_more(folder: Path) -> None:
    content_id = Release.open(folder).content_id
    (folder / "manifest.json.sig").unlink()
    forge(folder)
    found = verify(folder, "--expect", content_id)
    assert "questions, pictures, keys and splits are those of the expected content id" in found["proven"]
    assert any("license" in line and "give the release id" in line for line in found["not_proven"])
    assert any(line.startswith(FROZEN) for line in found["not_proven"])


@pytest.mark.parametrize("text", ["0123456789a", "g" * 64, "0" * 65, "", "release"])
def test_what_is_no_id_is_wrong_use(folder: Path, text: str) -> None:
    done = in_process("release", "verify", folder, "--expect", text)
    assert done.returncode == 2
    assert "is not an id of a release" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_signature_by_an_allowed_key_proves_the_manifest(folder: Path, keys: Path) -> None:
    for identity in ([], ["--identity", "ada@example.org"]):
        found = verify(folder, "--signed-by", keys / "allowed", *identity)
        assert any(line.startswith("manifest.json is signed by ada@example.org (ED25519") for line in found["proven"])
        assert not any(line.startswith(FROZEN) for line in found["not_proven"])
        assert found["signer"]["identity"] == "ada@example.org"


def test_a_signature_that_nobody_asks_about_is_looked_at_and_proves_nothing(folder: Path) -> None:
    found = verify(folder)
    assert any(line.startswith("whose signature manifest.json.sig is (ED25519") for line in found["not_proven"])
    assert any(line.startswith(FROZEN) for line in found["not_proven"])


def test_anybody_can_check_the_signature_without_benchwright(folder: Path, keys: Path) -> None:
    told = _keygen(
        "-Y", "verify", "-n", "benchwright-release", "-f", keys / "allowed", "-I", "ada@example.org",
        "-s", folder / "manifest.json.sig", stdin=(folder / "manifest.json").read_bytes(),
    )  # fmt: skip
    assert told.startswith(b'Good "benchwright-release" signature for ada@example.org')


def test_a_forgery_that_keeps_the_old_signature_is_found_even_without_keys(folder: Path, keys: Path) -> None:
    forge(folder)
    for options in ([], ["--signed-by", keys / "allowed"]):
        [problem] = verify(folder, *options, code=1)["problems"]
        assert problem.startswith("manifest.json.sig: no signature of this manifest")
        assert "incorrect signature" in problem


def test_a_signature_of_another_key_is_found(folder: Path, keys: Path) -> None:
    (folder / "manifest.json.sig").unlink()
    assert in_process("release", "sign", folder, "--key", keys / "bob").returncode == 0
    [problem] = verify(folder, "--signed-by", keys / "allowed", code=1)["problems"]
    assert "signed with no key that" in problem
    [problem] = verify(folder, "--signed-by", keys / "allowed", "--identity", "ada@example.org", code=1)["problems"]
    assert "no signature of this manifest by a signer whom" in problem


def _allow(keys: Path, tmp_path: Path, options: str) -> Path:
    (tmp_path / "allowed").write_text(f"ada@example.org {options} {(keys / 'ada.pub').read_text()}")
    return tmp_path / "allowed"


def test_a_key_that_is_allowed_for_something_else_expired_or_revoked_does_not_count(
    folder: Path, keys: Path, tmp_path: Path
) -> None:
    for_git = _allow(keys, tmp_path, 'namespaces="git"')
    assert "namespace" in verify(folder, "--signed-by", for_git, code=1)["problems"][0]
    expired = _allow(keys, tmp_path, 'valid-before="20200101"')
    assert "expired" in verify(folder, "--signed-by", expired, code=1)["problems"][0]
    revoked = verify(folder, "--signed-by", keys / "allowed", "--revoked", keys / "ada.pub", code=1)
    assert revoked["problems"][0].startswith("manifest.json.sig: ")
    assert verify(folder, "--signed-by", keys / "allowed", "--revoked", keys / "bob.pub")["ok"]


def test_a_signature_made_for_something_else_does_not_count(folder: Path, keys: Path) -> None:
    manifest = (folder / "manifest.json").read_bytes()
    (folder / "manifest.json.sig").write_bytes(_keygen("-Y", "sign", "-n", "git", "-f", keys / "ada", stdin=manifest))
    [problem] = verify(folder, "--signed-by", keys / "allowed", code=1)["problems"]
    assert "namespace does not match" in problem


@pytest.mark.parametrize("data", [b"", b"no signature", b"\xff" * 70_000], ids=["empty", "text", "huge"])
def test_what_is_no_signature_is_a_problem(folder: Path, keys: Path, data: bytes) -> None:
    (folder / "manifest.json.sig").write_bytes(data)
    for options in ([], ["--signed-by", keys / "allowed"]):
        if len(data) < 70_000 or options:
            assert verify(folder, *options, code=1)["problems"][0].startswith("manifest.json.sig: ")


def test_a_missing_signature_is_a_problem_only_where_one_is_asked_for(folder: Path, keys: Path) -> None:
    (folder / "manifest.json.sig").unlink()
    assert verify(folder)["ok"]
    [problem] = verify(folder, "--signed-by", keys / "allowed", code=1)["problems"]
    assert problem == "manifest.json.sig: missing; the signer of this release is unknown"


def test_a_signature_may_lie_elsewhere(folder: Path, keys: Path, tmp_path: Path) -> None:
    (folder / "manifest.json.sig").unlink()
    place = tmp_path / "by-ada.sig"
    assert in_process("release", "sign", folder, "--key", keys / "ada", "--out", place).returncode == 0
    assert not (folder / "manifest.json.sig").exists()
    assert verify(folder, "--signed-by", keys / "allowed", "--signature", place)["signer"] is not None


def test_a_signature_is_never_overwritten_and_a_broken_release_never_signed(folder: Path, keys: Path) -> None:
    before = (folder / "manifest.json.sig").read_bytes()
    refused = in_process("release", "sign", folder, "--key", keys / "bob")
    assert (refused.returncode, "exists and is not overwritten" in refused.stderr) == (2, True)
    assert (folder / "manifest.json.sig").read_bytes() == before
    (folder / "manifest.json.sig").unlink()
    (folder / "errata.json").write_text("{}")
    refused = in_process("release", "sign", folder, "--key", keys / "ada")
    assert (refused.returncode, "errata.json" in refused.stderr) == (1, True)
    assert not (folder / "manifest.json.sig").exists()


def test_a_key_that_cannot_sign_is_refused_in_one_line(folder: Path, keys: Path, tmp_path: Path) -> None:
    (folder / "manifest.json.sig").unlink()
    (tmp_path / "none").write_text("no key")
    shutil.copyfile(keys / "ada.pub", tmp_path / "only.pub")
    for key in (tmp_path / "none", tmp_path / "only.pub"):
        refused = in_process("release", "sign", folder, "--key", key)
        assert (refused.returncode, "cannot sign" in refused.stderr) == (2, True), refused.stderr
        assert len(refused.stderr.strip().splitlines()) == 1


@pytest.fixture
def agent(keys: Path, tmp_path: Path) -> Iterator[dict[str, str]]:
    """Environment with an agent that holds Ada's key."""
    if shutil.which("ssh-agent") is None or shutil.which("ssh-add") is None:
        pytest.skip("ssh-agent is not installed")
    socket = tmp_path / "agent"
    env = {**os.environ, "SSH_AUTH_SOCK": str(socket)}
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(socket)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        subprocess.run(["ssh-add", "-q", str(keys / "ada")], env=env, check=True)
        yield env
        process.terminate()


def test_a_key_in_an_agent_signs_by_its_public_half(
    folder: Path, keys: Path, tmp_path: Path, agent: dict[str, str]
) -> None:
    (folder / "manifest.json.sig").unlink()
    shutil.copyfile(keys / "ada.pub", tmp_path / "only.pub")
    signed = in_process("release", "sign", folder, "--key", tmp_path / "only.pub", env=agent)
    assert signed.returncode == 0, signed.stderr
    assert verify(folder, "--signed-by", keys / "allowed")["ok"]


def test_without_ssh_keygen_it_is_said_what_to_install(folder: Path, keys: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    env = {**os.environ, "PATH": str(tmp_path / "bin")}
    done = in_process("release", "verify", folder, "--signed-by", keys / "allowed", env=env)
    assert (done.returncode, "OpenSSH 8.2" in done.stderr) == (2, True)
    found = verify(folder, env=env)
    assert any("ssh-keygen, which makes and checks signatures, is missing" in line for line in found["not_proven"])
    (tmp_path / "bin" / "ssh-keygen").write_text(
        "#!/bin/sh\necho 'unknown option -- Y\nusage: ssh-keygen' >&2\nexit 1\n"
    )
    (tmp_path / "bin" / "ssh-keygen").chmod(0o755)
    env["PATH"] += ":/bin:/usr/bin"
    done = in_process("release", "verify", folder, "--signed-by", keys / "allowed", env=env)
    assert (done.returncode, "is too old" in done.stderr) == (2, True)


@pytest.mark.parametrize("options", [["--identity", "ada"], ["--revoked", "KEY"], ["--signature", "KEY"]])
def test_options_of_a_signature_need_the_keys_that_count(folder: Path, keys: Path, options: list[str]) -> None:
    given = [str(keys / "ada.pub") if option == "KEY" else option for option in options]
    done = in_process("release", "verify", folder, *given)
    assert (done.returncode, "requires --signed-by" in done.stderr) == (2, True)


def test_freezing_again_leaves_a_signed_release_as_it_is(folder: Path) -> None:
    before = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    small_bench().write(folder)
    assert {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == before
