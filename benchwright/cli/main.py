"""The command ``benchwright``: finds commands by name, prints errors on one line, and sets the exit code.

Exit codes: 0 success, 1 a check failed, 2 wrong use or a missing prerequisite, 3 unexpected error, 130 interrupted.
With ``--json`` an error is also one JSON document on standard output.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property
from typing import Any, NoReturn

import click

from benchwright import __version__
from benchwright.cli.room import COMMANDS, GROUPS, SECTIONS
from benchwright.errors import BenchwrightError, StorageError
from benchwright.machine.garbage import collect_rarely, keep_to_the_end
from benchwright.machine.storage_faults import naming, storage_fault
from benchwright.rooms import RoomEntry, catalogue
from benchwright.terminal.cleaning import clean_standard_streams, json_escaped


def _commands() -> dict[str, RoomEntry]:
    """Return all commands by full name: the spine's own and those of every room."""
    commands = {name: RoomEntry("benchwright", name, entry) for name, entry in COMMANDS.items()}
    for name, command in catalogue("commands").items():
        if name in commands or name in GROUPS:
            raise BenchwrightError(
                f"room {command.room!r} adds a command {name!r}, which Benchwright already has; rename it there"
            )
        commands[name] = command
    return commands


class _Lazy(click.Group):
    """A group that imports a command only when it is called."""

    def __init__(self, prefix: str = "", **settings: Any) -> None:
        super().__init__(**settings)
        self._prefix = prefix

    @cached_property
    def _found(self) -> Mapping[str, RoomEntry]:
        """Return the commands below this group, keyed by the part of the name after the prefix."""
        return {
            name.removeprefix(self._prefix): command
            for name, command in _commands().items()
            if name.startswith(self._prefix)
        }

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names below this group, sorted."""
        del ctx
        return sorted({name.split(" ")[0] for name in self._found})

    def _help_of(self, name: str) -> str:
        entry = self._found.get(name)
        return entry.entry.help if entry else GROUPS.get(name, f"Commands named {name} ...")

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import a command, or create the group of that name."""
        del ctx
        if cmd_name in self._found:
            command: click.Command = self._found[cmd_name].load()
            return command
        if any(name.startswith(f"{cmd_name} ") for name in self._found):
            return _Lazy(f"{self._prefix}{cmd_name} ", name=cmd_name, help=self._help_of(cmd_name))
        return None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return a command; for an unknown name, suggest the most similar one in the error."""
        if args and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            near = get_close_matches(args[0], self.list_commands(ctx), n=1, cutoff=0.4)
            hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(self.list_commands(ctx))}"
            raise click.UsageError(f"there is no command {(self._prefix + args[0])!r}; {hint}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands with their help lines, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, self._help_of(name)) for name in self.list_commands(ctx)])


class _Root(_Lazy):
    """The top-level group, whose help lists commands in the order in which work proceeds."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands section by section, with those of other packages last."""
        others = set(self.list_commands(ctx)).difference(*SECTIONS.values())
        for heading, names in {**SECTIONS, "Of other packages": tuple(sorted(others))}.items():
            if names:
                with formatter.section(heading):
                    formatter.write_dl([(name, self._help_of(name)) for name in names], col_max=12)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write where to begin, and which command lists the steps available to recipes."""
        del ctx
        formatter.write_paragraph()
        formatter.write_text("Start with: benchwright demo --out demo-out. Steps for recipes: benchwright steps.")


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        click.echo(f"benchwright {__version__}")
        ctx.exit()


_ROOT = _Root(
    name="benchwright",
    help="Build, vet, freeze and score image-question benchmarks.",
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="Print the version.",
            callback=_print_version,
        )
    ],
)


def commands(group: click.Group = _ROOT, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    """Yield every command except groups, with its full name."""
    context = click.Context(group, info_name="benchwright")
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


def invoke(arguments: Sequence[str]) -> int:
    """Run one command line and return its exit code."""
    as_json = "--json" in arguments
    try:
        result = _ROOT.main(list(arguments), prog_name="benchwright", standalone_mode=False)
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        where = error.ctx.command_path if isinstance(error, click.UsageError) and error.ctx else "benchwright"
        return _say(f"{error.format_message()} (see {where} --help)", "UsageError", 2, as_json)
    except (KeyboardInterrupt, click.Abort):
        return _say("interrupted; the same command continues where it stopped", "Interrupted", 130, as_json)
    except BrokenPipeError:
        sys.stderr.close()
        return 0
    except Exception as error:
        mistake = error if isinstance(error, BenchwrightError) else storage_fault(error)
        if mistake is None:
            raise
        return _say(str(mistake), type(mistake).__name__, mistake.exit_code, as_json)
    return result if isinstance(result, int) else 0


def _say(message: str, kind: str, code: int, as_json: bool) -> int:
    with suppress(OSError):  # if standard error is not writable either, only the exit code reports the error
        click.echo(f"benchwright: error: {message}", err=True)
    if as_json:
        document = {"error": {"type": kind, "message": message, "exit_code": code}}
        with suppress(OSError):
            click.echo(json_escaped(json.dumps(document, ensure_ascii=False)))
    return code


def _flushed(code: int) -> int:
    """Return the exit code after flushing standard output; a failure to write it, such as a full disk, is an error."""
    try:
        with naming("standard output"):
            sys.stdout.flush()
    except BrokenPipeError:
        pass
    except OSError as error:
        code = code or _say(str(storage_fault(error) or error), StorageError.__name__, StorageError.exit_code, False)
    else:
        return code
    # Unwritten output stays buffered, and Python would report it again at its end.
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return code


def main() -> NoReturn:
    """Run the command line of this process; an unexpected error keeps its traceback and exits with code 3."""
    collect_rarely()
    clean_standard_streams()
    try:
        code = invoke(sys.argv[1:])
    except Exception:  # noqa: BLE001 - the last line of defense: print it whole
        import traceback

        traceback.print_exc()
        click.echo("benchwright: this is a defect in Benchwright; please report it with the lines above", err=True)
        if "--json" in sys.argv:
            click.echo(json.dumps({"error": {"type": "Unexpected", "message": "see standard error", "exit_code": 3}}))
        code = 3
    code = _flushed(code)
    keep_to_the_end()
    sys.exit(code)
