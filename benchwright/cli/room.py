"""The spine's own commands, declared in the same way as those of every room."""

from benchwright.rooms import Entry

GROUPS = {
    "construct": "Bring source datasets into the form that recipes read.",
    "facts": "What people state about pictures: files to fill in, checked; and what they marked, as a file.",
    "evaluate": "Run models on a release and score them.",
    "filter": "Look at a folder of images; see, and reverse, what filters of a run dropped.",
    "release": "Freeze, check, count, show and export releases.",
    "results": "A store of results over releases: list, name, merge, rank.",
    "review": "People: tasks, decisions, agreement.",
}
"""Line of help for each group of commands."""

SECTIONS = {
    "Audit a benchmark that exists": ("audit", "set-right"),
    "Build": ("demo", "recipes", "steps", "run", "facts", "construct", "filter", "overlay"),
    "Vet with people": ("review",),
    "Freeze and publish": ("release",),
    "Score": ("evaluate", "results"),
    "Look into a workspace and this machine": ("outcomes", "trace", "check", "gc", "doctor"),
}
"""Sections of `benchwright --help`: our commands and groups, in the order of the work."""

COMMANDS = {
    "check": Entry(
        "benchwright.cli.check:check", "Read all of a workspace and name what is damaged; repair what can be."
    ),
    "demo": Entry("benchwright.cli.demo:demo", "Build and score a small benchmark from photographs, offline."),
    "doctor": Entry("benchwright.cli.doctor:doctor", "Say what this machine can do and what to install for the rest."),
    "facts check": Entry("benchwright.cli.facts:check", "Name all mistakes of facts files, or count what they state."),
    "facts export": Entry("benchwright.cli.facts:export", "Write what people marked and stated as a facts file."),
    "facts new": Entry("benchwright.cli.facts:new", "Write a facts file of your own folder to fill in, YAML or CSV."),
    "filter funnel": Entry(
        "benchwright.cli.funnel:funnel", "Show what went into each step of a run, what came out, and why not the rest."
    ),
    "gc": Entry("benchwright.cli.gc:gc", "Remove what no table of a workspace refers to any more."),
    "outcomes": Entry("benchwright.cli.outcomes:outcomes", "List what steps said of files, images and items, and why."),
    "overlay": Entry("benchwright.cli.overlay:overlay", "Draw visual prompts into a copy of a picture."),
    "recipes": Entry("benchwright.cli.recipes:recipes", "List the recipes that come along, or copy one."),
    "run": Entry("benchwright.cli.run:run", "Run a recipe over a folder of images, or go on with it."),
    "steps": Entry("benchwright.cli.steps:steps", "List the steps that recipes can use, with their settings."),
    "trace": Entry("benchwright.cli.trace:trace", "Tell an item's or image's whole history."),
}
