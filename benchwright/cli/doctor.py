"""``benchwright doctor``.

It reports the capabilities of this machine, and packages to install for missing ones.
"""

from __future__ import annotations

import os
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from benchwright.errors import CheckFailed
from benchwright.terminal.output import emit, json_option


@dataclass(frozen=True)
class Check:
    """One capability: its availability, details, and how to obtain it."""

    name: str
    ok: bool
    found: str
    fix: str | None = None
    needed: bool = False
    """Whether Benchwright requires the capability."""

    def to_json(self) -> dict[str, Any]:
        """Return the check as JSON values."""
        return asdict(self)


_EXTRAS: tuple[tuple[str, str, str, str], ...] = (
    ("demo photographs", "demo", "skimage", "scikit-image"),
    ("text in images (OCR)", "filters", "rapidocr", "rapidocr"),
    ("models for that (ONNX)", "filters", "onnxruntime", "onnxruntime"),
    ("review app", "app", "streamlit", "streamlit"),
    ("passwords of the review app", "app", "argon2", "argon2-cffi"),
    ("cookies of the review app", "app", "itsdangerous", "itsdangerous"),
    ("review store on PostgreSQL", "postgres", "psycopg", "psycopg"),
    ("photographs in HEIC", "heic", "pi_heif", "pi-heif"),
    ("tables as spreadsheets (.xlsx)", "tables", "openpyxl", "openpyxl"),
    ("signing in by OpenID", "oidc", "authlib", "authlib"),
    ("Label Studio, both ways", "labelstudio", "label_studio_sdk", "label-studio-sdk"),
    ("local models", "models", "torch", "torch"),
    ("local models' architectures", "models", "transformers", "transformers"),
    ("editing by diffusion models", "models", "diffusers", "diffusers"),
    ("masks by Segment Anything", "models", "segment_anything", "segment-anything"),
    ("publishing to the Hugging Face Hub", "hub", "huggingface_hub", "huggingface-hub"),
    ("models of Anthropic", "anthropic", "anthropic", "anthropic"),
    ("models of Gemini", "gemini", "google.genai", "google-genai"),
    ("Ray clusters", "ray", "ray", "ray"),
)
"""Name, extra, module and package of dependencies that only certain commands and steps need."""


def examine() -> list[Check]:
    """Return all checks, without heavy imports or network access."""
    checks: list[Callable[[], Check]] = [_python, _processors, _memory, _disk, _image_formats, _sqlite]
    results = [check() for check in checks]
    results += [_extra(*extra) for extra in _EXTRAS]
    return [*results, *_region_helpers(), _paddleocr(), _chromium(), _gpu(), _key()]


def _python() -> Check:
    ok = sys.version_info >= (3, 11)
    return Check("Python", ok, platform.python_version(), None if ok else "install Python 3.11 or newer", needed=True)


def _processors() -> Check:
    from benchwright.engines.local import processors

    return Check("processors", True, f"{processors()} for this process")


def _memory() -> Check:
    total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return Check(
        "memory", total >= 2, f"{total:.1f} GiB", None if total >= 2 else "the demo needs 1 GB free", needed=False
    )


def _disk() -> Check:
    free = shutil.disk_usage(Path.cwd()).free / 1e9
    return Check(
        "disk", free >= 1, f"{free:.1f} GB free here", None if free >= 1 else "free some space or work elsewhere"
    )


def _image_formats() -> Check:
    from PIL import features

    missing = [name for name in ("jpg", "zlib", "webp") if not features.check(name)]
    return Check(
        "image formats",
        not missing,
        "JPEG, PNG, WebP" if not missing else f"without {', '.join(missing)}",
        None if not missing else "install Pillow from its wheel: pip install --force-reinstall pillow",
        needed=True,
    )


def _sqlite() -> Check:
    import sqlite3

    ok = sqlite3.sqlite_version_info >= (3, 35)
    return Check(
        "SQLite review store", ok, sqlite3.sqlite_version, None if ok else "use a Python with SQLite 3.35+", needed=True
    )


def _extra(name: str, extra: str, module: str, package: str) -> Check:
    fix = f"pip install 'benchwright[{extra}]' -c constraints.txt"
    if not _is_there(module):
        return Check(name, False, f"{package} is not installed", fix)
    try:
        return Check(name, True, f"{package} {version(package)}")
    except PackageNotFoundError:
        return Check(name, True, f"{package}, version unknown")


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # the package around it is missing
        return False


def _region_helpers() -> list[Check]:
    """Return a check for each helper that proposes regions; it ignores their weights, which a recipe names."""
    from benchwright.rooms import catalogue

    checks = []
    for name, entry in catalogue("region_helpers").items():
        settings = entry.load()
        absent = [package.replace("_", "-") for package in settings.packages if find_spec(package) is None]
        weights = f"name its weights in the recipe; fetch them with `{settings.fetch}`" if settings.fetch else None
        if absent:
            install = f"pip install {' '.join(absent)} -c constraints.txt"
            checks.append(Check(f"marking: {name}", False, f"{' and '.join(absent)} not installed", install))
        else:
            checks.append(Check(f"marking: {name}", True, entry.entry.help, weights))
    return checks


def _paddleocr() -> Check:
    name, fix = "text in images (PaddleOCR)", "only `backend: paddleocr` of text_ratio needs it: make paddle"
    named = os.environ.get("BENCHWRIGHT_PADDLE_PYTHON")
    if not named and find_spec("paddleocr") is not None:
        return _extra(name, "ocr-paddle", "paddleocr", "paddleocr")
    python = Path(named or ".venv-paddle/bin/python")
    if not python.is_file():
        detail = f"BENCHWRIGHT_PADDLE_PYTHON names {python}, which is not a file" if named else "no environment with it"
        return Check(name, False, detail, fix)
    version_elsewhere = _version_elsewhere(python, "paddleocr")
    if version_elsewhere is None:
        return Check(name, False, f"{python} has no paddleocr", fix)
    use = None if named else f"to use it: export BENCHWRIGHT_PADDLE_PYTHON={python}"
    return Check(name, True, f"paddleocr {version_elsewhere} in {python}", use)


def _version_elsewhere(python: Path, package: str) -> str | None:
    """Return a package's version in another environment, as its interpreter reports it; None if it is missing."""
    ask = "import sys; from importlib.metadata import version; sys.stdout.write(version(sys.argv[1]))"
    try:
        process = subprocess.run(  # noqa: S603 - the interpreter that its user names
            [python, "-I", "-c", ask, package], capture_output=True, text=True, timeout=20, check=True
        )
    except (OSError, subprocess.SubprocessError, UnicodeDecodeError):
        return None
    return process.stdout.strip()[:40] or None


def _chromium() -> Check:
    program = shutil.which("chromium")
    fix = "only tests in a browser need it: make browser"
    return Check("Chromium for tests", program is not None, program or "not installed", None if program else fix)


def _gpu() -> Check:
    devices = sorted(path.name for path in Path("/dev").glob("nvidia[0-9]*"))
    if devices:
        return Check("GPU", True, ", ".join(devices))
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return Check("GPU", True, "Apple silicon")
    return Check("GPU", False, "none", "not needed for the demo; model steps run on the CPU, slowly")


def _key() -> Check:
    from benchwright.models.endpoints.vendors.apis import APIS

    variables = dict.fromkeys(facts.key_variable for facts in APIS.values())
    if found := [name for name in variables if os.environ.get(name)]:
        return Check("model endpoint key", True, f"{' and '.join(found)} {'is' if len(found) == 1 else 'are'} set")
    fix = "export OPENAI_API_KEY=... for `evaluate run --model openai:NAME`; local servers need --base-url only"
    return Check("model endpoint key", False, f"none of {', '.join(variables)} is set", fix)


@click.command()
@json_option('`{"ok", "checks": [{"name", "ok", "found", "fix", "needed"}]}`')
def doctor(as_json: bool) -> None:
    """Report the capabilities of this machine and what to install for missing ones.

    Needs no network. The exit code is 1 if a requirement of all commands is missing.
    """
    checks = examine()
    broken = [check for check in checks if check.needed and not check.ok]

    def text() -> str:
        width = max(len(check.name) for check in checks)
        lines = []
        for check in checks:
            mark = "ok     " if check.ok else "MISSING" if check.needed else "-      "
            lines.append(f"{mark} {check.name:{width}}  {check.found}{f'  ({check.fix})' if check.fix else ''}")
        return "\n".join(lines)

    emit({"ok": not broken, "checks": [check.to_json() for check in checks]}, as_json=as_json, text=text)
    if broken:
        if as_json:
            raise click.exceptions.Exit(1)
        raise CheckFailed(f"{broken[0].name}: {broken[0].found}; {broken[0].fix}")
