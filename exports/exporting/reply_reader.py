"""The reader of replies in exports: a copy of the source of `evaluate`'s reader, for tools without Benchwright.

There is only one reader. An export scores replies with a copy of its modules, made when the export is written, so that
a reply is read as the same letter in both. The modules need only Python's standard library.
"""

from __future__ import annotations

import re
from importlib import resources
from pathlib import Path

from benchwright.records import LETTERS

from .exported import ExportHeader

READER = "reply_reader"
"""Folder of the reader in an export."""
_FIRST = "answers"
"""Module of `benchwright.replies` that reads a reply; the sibling modules it imports are copied too."""
_LETTERS_IMPORT = "from benchwright.records import LETTERS\n"
_BESIDE = re.compile(r"^\s*from \.(\w+) import\b", re.MULTILINE)
_OF_PACKAGE = re.compile(r"^\s*(?:from|import) (?:benchwright\b|\.\.)", re.MULTILINE)

_FACE = '''\
"""The reader of replies of Benchwright, which scored {title} by it. Python 3.10 or newer, and nothing else.

    >>> letter_of("I think (B) fits best.", ["a dog", "a cat"])
    'B'
"""

from string import ascii_uppercase

from .answers import read_answer


def letter_of(reply, options):
    """Return the letter that a free reply gives; None where it gives no single one, or declines.

    Args:
        reply: Text of the reply.
        options: Texts of the options, in order.
    """
    return read_answer(reply, list(zip(ascii_uppercase, options))).letter
'''

LOADER = '''\
def _reader():
    """Return the reader of replies beside this file, whichever way the file was loaded."""
    folder = Path(__file__).resolve().parent / "reply_reader"
    name = "{name}"
    if name not in sys.modules:
        place = [str(folder)]
        spec = importlib.util.spec_from_file_location(name, folder / "__init__.py", submodule_search_locations=place)
        sys.modules[name] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[name]
'''
"""Function that loads the reader; `name` is the name of its module, which differs between releases."""


def write_reader(folder: Path, header: ExportHeader) -> None:
    """Write the reader into an export's folder as the package `reply_reader`.

    Args:
        folder: Folder of the export.
        header: Facts about the release; each file states its canary, as all texts of an export do.

    Raises:
        RuntimeError: A module of the reader imports from Benchwright, so the reader cannot run on its own.
    """
    place = folder / READER
    place.mkdir()
    sources = _sources() | {"__init__.py": _FACE.format(title=header.title)}
    for name, source in sorted(sources.items()):
        text = f"# Goes with benchmark data. Canary {header.canary}\n{source}"
        (place / name).write_text(text, encoding="utf-8", newline="\n")


def _sources() -> dict[str, str]:
    """Return the reader's modules by file name, in standalone form."""
    sources = {"letters.py": f'"""Letters of options."""\n\nLETTERS = "{LETTERS}"\n'}
    folder = resources.files("benchwright.replies")
    wanted = [_FIRST]
    for module in wanted:
        source = folder.joinpath(f"{module}.py").read_text(encoding="utf-8")
        wanted += [name for name in _BESIDE.findall(source) if name not in wanted]
        source = source.replace(_LETTERS_IMPORT, "from .letters import LETTERS\n")
        if _OF_PACKAGE.search(source):
            raise RuntimeError(f"benchwright/replies/{module}.py cannot stand alone: it imports from benchwright")
        sources[f"{module}.py"] = source
    return sources
