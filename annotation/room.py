"""The components that the annotation package provides, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.annotation"

ROOM = Room(
    name="annotation",
    steps={
        "answer": Entry(
            f"{_HERE}.campaigns.answer:Answer", "Let people answer each item without its key; the human baseline."
        ),
        "collect": Entry(
            f"{_HERE}.campaigns.collect.step:Collect", "Let people add photographs to prompts, with source and license."
        ),
        "describe": Entry(
            f"{_HERE}.campaigns.describe.step:Describe",
            "Let people say what each image conveys, and write questions about it.",
        ),
        "mark": Entry(
            f"{_HERE}.campaigns.mark.step:Mark",
            "Let people mark points, boxes, outlines or masks on images, and agree on them.",
        ),
        "pair": Entry(f"{_HERE}.campaigns.pair:Pair", "Let people say whether two images are the same picture."),
        "review": Entry(
            f"{_HERE}.campaigns.review:Review",
            "Let people answer each item blind, then vote on it by criteria, in rounds.",
        ),
        "screen": Entry(f"{_HERE}.campaigns.screen:Screen", "Let people keep or discard each image, with reasons."),
        "screen_items": Entry(
            f"{_HERE}.campaigns.screen:ScreenItems",
            "Let people keep or discard each item, such as one that is ambiguous.",
        ),
        "state": Entry(
            f"{_HERE}.campaigns.state.step:State",
            "Let people state in words what each image shows, for steps that need it.",
        ),
        "verify": Entry(
            f"{_HERE}.campaigns.verify:Verify", "Let people accept, edit or reject each item, under a rule."
        ),
        "write": Entry(
            f"{_HERE}.campaigns.write.step:Write",
            "Let people write questions about each image, with options, explanation and labels.",
        ),
    },
    commands={
        "filter drop": Entry(f"{_HERE}.cli.overrides:drop", "Drop by hand images or items that a step kept."),
        "filter overrides": Entry(
            f"{_HERE}.cli.overrides:overrides", "List curators' decisions against verdicts of steps."
        ),
        "filter restore": Entry(f"{_HERE}.cli.overrides:restore", "Reverse a step's verdict against images or items."),
        "filter undo": Entry(f"{_HERE}.cli.overrides:undo", "Take back a restore or a drop by hand."),
        "review agreement": Entry(
            f"{_HERE}.cli.agreement:agreement",
            "Measure how far annotators agree, in a campaign or a CSV file of ratings.",
        ),
        "review annotators": Entry(
            f"{_HERE}.cli.agreement:annotators", "Show how well each annotator agrees with the others."
        ),
        "review audit": Entry(f"{_HERE}.cli.audit:audit", "Check the audit log, and every decision against it."),
        "review backup": Entry(f"{_HERE}.cli.backup:backup", "Write the whole review store to one file."),
        "review assign": Entry(f"{_HERE}.cli.curators:assign", "Restrict a campaign to some annotators."),
        "review entries": Entry(
            f"{_HERE}.cli.integrations.entries:entries",
            "List, make and close entries for Prolific and Mechanical Turk.",
        ),
        "review export": Entry(
            f"{_HERE}.cli.export:export", "Write a campaign's open tasks to a CSV file, or everything as tables."
        ),
        "review close": Entry(
            f"{_HERE}.cli.integrations.closing:close", "Close a campaign, so that it hands out no more tasks."
        ),
        "review reopen": Entry(f"{_HERE}.cli.integrations.closing:reopen", "Reopen a closed campaign."),
        "review flags": Entry(f"{_HERE}.cli.comments:flags", "List and settle annotators' flags and comments."),
        "review likeness": Entry(
            f"{_HERE}.cli.likeness:likeness", "Embed pictures and questions, so that the app can compare items."
        ),  # phrase: allowed
        "review messages": Entry(
            f"{_HERE}.cli.messages:messages", "Send messages to annotators, and see who has read them."
        ),
        "review forget": Entry(f"{_HERE}.cli.forget:forget", "Replace a person's name with a pseudonym, irreversibly."),
        "review language": Entry(
            f"{_HERE}.cli.language:language", "Print the file of a language of the review app, to be translated."
        ),
        "review guidelines": Entry(
            f"{_HERE}.cli.guidelines:guidelines", "List and set the versions of a campaign's guidelines."
        ),
        "review invite": Entry(f"{_HERE}.cli.invitations:invite", "Invite all the people in a CSV file."),
        "review reasons": Entry(
            f"{_HERE}.cli.curators:reasons", "Count the reasons that annotators gave, with examples."
        ),
        "review import": Entry(
            f"{_HERE}.cli.decision_import:import_", "Read decisions from a CSV file into a campaign."
        ),
        "review kept": Entry(f"{_HERE}.cli.kept:kept", "Show agreement and the share of kept items per question type."),
        "review label-studio pull": Entry(
            f"{_HERE}.cli.label_studio:pull", "Bring annotations from Label Studio into the review store."
        ),
        "review label-studio push": Entry(
            f"{_HERE}.cli.label_studio:push", "Make or update a Label Studio project from a campaign."
        ),
        "review pay": Entry(f"{_HERE}.cli.integrations.pay:pay", "Show each person's hours of work and pay."),
        "review restore": Entry(f"{_HERE}.cli.backup:restore", "Fill an empty review store from a backup."),
        "review marks export": Entry(
            f"{_HERE}.cli.marks:export_marks", "Write the marks on which annotators agree as COCO, Pascal VOC or YOLO."
        ),
        "review marks unused": Entry(
            f"{_HERE}.cli.marks:unused_marks", "List unused entries of a campaign's starting files, with reasons."
        ),
        "review open": Entry(
            f"{_HERE}.cli.tasks:open_", "Open a campaign on items of a release: an error analysis, or doubted keys."
        ),
        "review results": Entry(
            f"{_HERE}.cli.tasks:results", "Show the results of a campaign that `review open` opened."
        ),
        "review rules": Entry(f"{_HERE}.cli.rules:rules", "Show the outcome of other rules on the decisions so far."),
        "review serve": Entry(f"{_HERE}.cli.app:serve", "Serve the review app to annotators and curators."),
        "review set-aside": Entry(f"{_HERE}.cli.set_asides:set_aside", "Exclude an annotator's votes from all counts."),
        "review take-back": Entry(f"{_HERE}.cli.set_asides:take_back", "Restore votes that were set aside."),
        "review status": Entry(f"{_HERE}.cli.status:status", "Show which tasks wait for people, by campaign."),
        "review tokens": Entry(
            f"{_HERE}.cli.integrations.tokens:tokens", "List, make and revoke tokens of the HTTP API."
        ),
        "review webhooks": Entry(
            f"{_HERE}.cli.integrations.webhooks:webhooks", "List, add and remove addresses that receive events."
        ),
        "review users": Entry(f"{_HERE}.cli.app:users", "List, add, invite and lock the accounts of the app."),
    },
    photographs={
        "review store": Entry(
            f"{_HERE}.campaigns.collect.collected_photographs:submitted_photographs",
            "Photographs that people added to prompts.",
        ),
    },
    unused_photographs={
        "review store": Entry(
            f"{_HERE}.exchange.unused_photographs:unused_photographs",
            "Photographs that were uploaded and never submitted.",
        ),
    },
    checks={
        "review store": Entry(f"{_HERE}.store.check:store_problems", "Rows of the review store that were changed."),
    },
    overrides={
        "review store": Entry(f"{_HERE}.exchange.overrides:overrides_in_force", "Curators' decisions against steps."),
    },
)
