"""``benchwright doctor``."""

from __future__ import annotations

import click

from benchwright.cli.output import emit, json_option
from benchwright.errors import CheckFailed


@click.command()
@json_option
def doctor(as_json: bool) -> None:
    """Say what this machine can do and what to install for the rest.

    Exit code 1 where something is missing that nothing works without.
    """
    from benchwright.doctor import examine

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
