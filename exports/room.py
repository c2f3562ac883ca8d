"""The components that the exports package provides, by name."""

from benchwright.rooms import Entry, Room

ROOM = Room(
    name="exports",
    steps={
        "splits": Entry(
            "benchwright.exports.freezing.splits:Splits",
            "Assign items to splits, keeping items with a common group key together.",
        ),
        "freeze": Entry("benchwright.exports.freezing.step:Freeze", "Write the release, an immutable folder."),
    },
    commands={
        "release authors": Entry(
            "benchwright.exports.authorship:authors", "Show who wrote a release's texts, and the outcome of drafts."
        ),
        "release correct": Entry(
            "benchwright.exports.commands:correct", "Write the next version of a release, with errata corrected."
        ),
        "release diff": Entry(
            "benchwright.exports.comparison.command:diff", "Show the differences between two releases, and why."
        ),
        "release drafts": Entry(
            "benchwright.exports.commands:drafts", "List the drafts of a workspace, and remove old ones."
        ),
        "release export": Entry(
            "benchwright.exports.export_command:export", "Export a release to the format of another tool."
        ),
        "release fetch": Entry(
            "benchwright.exports.rights.commands:fetch", "Get the pictures that a release states only by address."
        ),
        "release freeze": Entry(
            "benchwright.exports.commands:freeze", "Freeze a workspace whose run is complete into a release."
        ),
        "release publish": Entry(
            "benchwright.exports.publishing.command:publish", "Publish a release to the Hugging Face Hub or a folder."
        ),
        "release sign": Entry("benchwright.exports.commands:sign", "Sign a release with an SSH key."),
        "release takedown": Entry(
            "benchwright.exports.rights.commands:takedown",
            "Withdraw an image from the next version.",
        ),
        "release verify": Entry("benchwright.exports.commands:verify", "Check every file and row of a release."),
        "release splits": Entry(
            "benchwright.exports.split_command:splits", "Show what the splits of a release have in common."
        ),
        "release show": Entry("benchwright.exports.commands:show", "Show the content of a release."),
    },
    formats={
        "coco": Entry(
            "benchwright.exports.formats.coco:CocoDetection",
            "COCO: marks and answer regions as boxes, outlines and masks.",
        ),
        "croissant": Entry(
            "benchwright.exports.formats.croissant:Croissant", "Croissant 1.1: metadata over Parquet files."
        ),
        "inspect": Entry(
            "benchwright.exports.formats.inspect_ai:InspectAI",
            "inspect_ai: samples in JSON lines, and a file of tasks.",
        ),
        "jsonl": Entry(
            "benchwright.exports.formats.json_lines:JsonLines", "JSON lines with pictures in files; carries everything."
        ),
        "label-studio": Entry(
            "benchwright.exports.formats.label_studio:LabelStudioTasks", "Label Studio: tasks to import, and a config."
        ),
        "lmms-eval": Entry(
            "benchwright.exports.formats.lmms_eval:LmmsEval", "lmms-eval: task files over Parquet files."
        ),
        "vlmevalkit": Entry(
            "benchwright.exports.formats.vlmevalkit:VLMEvalKit",
            "VLMEvalKit: tables (TSV), and a class that reads them.",
        ),
        "webdataset": Entry(
            "benchwright.exports.formats.webdataset:WebDataset", "WebDataset: archives (TAR) of samples to stream."
        ),
    },
)
