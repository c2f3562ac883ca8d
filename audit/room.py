"""Commands of the audit, by name."""

from benchwright.rooms import Entry, Room

ROOM = Room(
    name="audit",
    commands={
        "audit": Entry(
            "benchwright.audit.cli.command:audit", "Say what is wrong with a benchmark that exists, with a page."
        ),
        "set-right": Entry(
            "benchwright.audit.setting_right.command:set_right",
            "Make the release that people's decisions on an audit come to.",
        ),
    },
)
