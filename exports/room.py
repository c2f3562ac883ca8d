"""Components that the exports room provides, by name."""

from benchwright.rooms import Entry, Room

ROOM = Room(
    name="exports",
    steps={
        "splits": Entry(
            "benchwright.exports.splits:Splits",
            "Assign items to splits, never parting what shares a group key.",
        ),
        "freeze": Entry("benchwright.exports.freeze:Freeze", "Write the release, an immutable folder."),
    },
    commands={
        "release correct": Entry(
            "benchwright.exports.commands:correct", "Write the next version of a release, with errata set right."
        ),
        "release diff": Entry(
            "benchwright.exports.comparison.command:diff", "Say what differs between two releases, and why."
        ),
        "release drafts": Entry(
            "benchwright.exports.commands:drafts", "List the drafts of a workspace, and remove old ones."
        ),
        "release freeze": Entry(
            "benchwright.exports.commands:freeze", "Freeze a workspace whose run is complete into a release."
        ),
        "release sign": Entry("benchwright.exports.commands:sign", "Sign a release with an SSH key."),
        "release verify": Entry("benchwright.exports.commands:verify", "Check every file and row of a release."),
        "release show": Entry("benchwright.exports.commands:show", "Say what a release holds."),
    },
)
