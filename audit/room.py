"""Commands of the audit, by name."""

from benchwright.rooms import Entry, Room

ROOM = Room(
    name="audit",
    commands={
        "audit": Entry("benchwright.audit.cli.command:audit", "Find the faults of an existing benchmark, with a page."),
        "set-right": Entry(
            "benchwright.audit.setting_right.command:set_right",
            "Make the release that follows from decisions on an audit.",
        ),
    },
)
