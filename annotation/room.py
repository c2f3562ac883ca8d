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
        "filter drop": Entry(f"{_HERE}.override_commands:drop", "Drop images or items by hand that a step kept."),
        "filter overrides": Entry(
            f"{_HERE}.override_commands:overrides", "List what curators decided against verdicts of steps."
        ),
        "filter restore": Entry(
            f"{_HERE}.override_commands:restore", "Reverse what a step said against images or items."
        ),
        "filter undo": Entry(f"{_HERE}.override_commands:undo", "Take back a restore or a drop by hand."),
        "review agreement": Entry(
            f"{_HERE}.commands:agreement",
            "Say how far annotators agree, in a campaign or a CSV file of ratings.",
        ),
        "review annotators": Entry(
            f"{_HERE}.commands:annotators", "Say of each annotator how well they fit with the others."
        ),
        "review audit": Entry(
            f"{_HERE}.audit_commands:audit", "Check the log of what was done, and every decision against it."
        ),
        "review backup": Entry(f"{_HERE}.backup_commands:backup", "Write the whole review store to one file."),
        "review export": Entry(f"{_HERE}.commands:export", "Write a campaign's open tasks to a CSV file."),
        "review flags": Entry(
            f"{_HERE}.remark_commands:flags", "List what annotators flag and comment, and settle it."
        ),
        "review import": Entry(f"{_HERE}.commands:import_", "Read decisions from a CSV file into a campaign."),
        "review label-studio pull": Entry(
            f"{_HERE}.label_studio.commands:pull", "Bring annotations from Label Studio into the review store."
        ),
        "review label-studio push": Entry(
            f"{_HERE}.label_studio.commands:push", "Make or update a Label Studio project from a campaign."
        ),
        "review restore": Entry(f"{_HERE}.backup_commands:restore", "Fill an empty review store from a backup."),
        "review open": Entry(
            f"{_HERE}.task_commands:open_", "Open a campaign on items of a release: an error analysis, or doubted keys."
        ),
        "review results": Entry(f"{_HERE}.task_commands:results", "Say what such a campaign came to."),
        "review serve": Entry(f"{_HERE}.app_commands:serve", "Serve the review app to annotators and curators."),
        "review status": Entry(f"{_HERE}.commands:status", "Say which tasks wait for people, by campaign."),
        "review users": Entry(f"{_HERE}.app_commands:users", "List, add, invite and lock who may use the app."),
    },
    overrides={
        "review store": Entry(f"{_HERE}.overrides:standing_overrides", "What curators decided against steps."),
    },
)
