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
        "collect": Entry(
            f"{_HERE}.collecting:Collect", "Let people add photographs to prompts, with source and licence."
        ),
        "describe": Entry(
            f"{_HERE}.describing:Describe", "Let people say what each image conveys, and write questions about it."
        ),
        "pair": Entry(f"{_HERE}.pairing:Pair", "Let people say whether two images are the same picture."),
        "review": Entry(
            f"{_HERE}.reviewing:Review", "Let people answer each item blind, then vote on it by criteria, in rounds."
        ),
        "screen": Entry(f"{_HERE}.screening:Screen", "Let people keep or discard each image, with reasons."),
        "screen_items": Entry(
            f"{_HERE}.screening:ScreenItems", "Let people keep or discard each item, such as one that is ambiguous."
        ),
        "verify": Entry(f"{_HERE}.campaign:Verify", "Let people accept, edit or reject each item, under a rule."),
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
            f"{_HERE}.agreement_commands:agreement",
            "Say how far annotators agree, in a campaign or a CSV file of ratings.",
        ),
        "review annotators": Entry(
            f"{_HERE}.agreement_commands:annotators", "Say of each annotator how well they fit with the others."
        ),
        "review audit": Entry(
            f"{_HERE}.audit_commands:audit", "Check the log of what was done, and every decision against it."
        ),
        "review backup": Entry(f"{_HERE}.backup_commands:backup", "Write the whole review store to one file."),
        "review assign": Entry(f"{_HERE}.curator_commands:assign", "Leave a campaign to some annotators."),
        "review export": Entry(
            f"{_HERE}.export_commands:export", "Write a campaign's open tasks to a CSV file, or everything as tables."
        ),
        "review flags": Entry(
            f"{_HERE}.remark_commands:flags", "List what annotators flag and comment, and settle it."
        ),
        "review guidelines": Entry(
            f"{_HERE}.guideline_commands:guidelines", "List and set what annotators are told, in versions."
        ),
        "review reasons": Entry(f"{_HERE}.curator_commands:reasons", "Say which reasons were given, with examples."),
        "review import": Entry(f"{_HERE}.commands:import_", "Read decisions from a CSV file into a campaign."),
        "review kept": Entry(
            f"{_HERE}.kept_command:kept", "Say per question type how far annotators agree, and what was kept."
        ),
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
        "review status": Entry(f"{_HERE}.status_command:status", "Say which tasks wait for people, by campaign."),
        "review users": Entry(f"{_HERE}.app_commands:users", "List, add, invite and lock who may use the app."),
    },
    photographs={
        "review store": Entry(f"{_HERE}.collected:handed_in", "Photographs that people added to prompts."),
    },
    unused_photographs={
        "review store": Entry(
            f"{_HERE}.unused_photographs:unused_photographs", "Photographs that were uploaded and never handed in."
        ),
    },
    checks={
        "review store": Entry(f"{_HERE}.store_check:store_problems", "Rows of the review store that were changed."),
    },
    overrides={
        "review store": Entry(f"{_HERE}.overrides:standing_overrides", "What curators decided against steps."),
    },
)
