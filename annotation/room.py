"""What the annotation room brings, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.annotation"

ROOM = Room(
    name="annotation",
    steps={
        "answer": Entry(
            f"{_HERE}.answering:Answer", "Let people answer each item without its key; the human baseline."
        ),
        "verify": Entry(f"{_HERE}.campaign:Verify", "Let people accept or reject each item, under a rule."),
    },
    commands={
        "review agreement": Entry(
            f"{_HERE}.commands:agreement",
            "Say how far annotators agree, in a campaign or a CSV file of ratings.",
        ),
        "review export": Entry(f"{_HERE}.commands:export", "Write a campaign's open tasks to a CSV file."),
        "review import": Entry(f"{_HERE}.commands:import_", "Read decisions from a CSV file into a campaign."),
        "review open": Entry(
            f"{_HERE}.task_commands:open_", "Open a campaign on items of a release: an error analysis, or doubted keys."
        ),
        "review results": Entry(f"{_HERE}.task_commands:results", "Say what such a campaign came to."),
        "review serve": Entry(f"{_HERE}.app_commands:serve", "Serve the review app to annotators and curators."),
        "review status": Entry(f"{_HERE}.commands:status", "Say which tasks wait for people, by campaign."),
        "review users": Entry(f"{_HERE}.app_commands:users", "List, add, invite and lock who may use the app."),
    },
)
