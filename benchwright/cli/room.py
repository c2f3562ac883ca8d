"""The spine's own commands, declared in the same way as those of every room."""

from benchwright.rooms import Entry

GROUPS = {
    "construct": "Convert source datasets to the form that recipes read.",
    "facts": "Facts about pictures: files to fill in and check, and people's marks and statements as a file.",
    "evaluate": "Run models on a release and score them.",
    "filter": "Examine a folder of images; see and reverse a run's drops.",
    "release": "Freeze, check, count, show and export releases.",
    "results": "A store of results over releases: list, name, merge, rank.",
    "review": "People: tasks, decisions, agreement.",
}
"""Help line of each group of commands."""

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
    "check": Entry("benchwright.cli.check:check", "Read a whole workspace, name damage, and repair what is possible."),
    "demo": Entry("benchwright.cli.demo:demo", "Build and score a small benchmark from photographs, offline."),
    "doctor": Entry(
        "benchwright.cli.doctor:doctor", "Report what this machine can do and what to install for the rest."
    ),
    "facts check": Entry("benchwright.cli.facts:check", "Name all mistakes of facts files, or count their facts."),
    "facts export": Entry("benchwright.cli.facts:export", "Write people's marks and statements as a facts file."),
    "facts new": Entry("benchwright.cli.facts:new", "Write a facts file of your own folder to fill in, YAML or CSV."),
    "filter funnel": Entry(
        "benchwright.cli.funnel:funnel", "Show the input and output of each step of a run, with reasons."
    ),
    "gc": Entry("benchwright.cli.gc:gc", "Remove unreferenced files of a workspace."),
    "outcomes": Entry(
        "benchwright.cli.outcomes:outcomes", "List steps' verdicts on files, images and items, with reasons."
    ),
    "overlay": Entry("benchwright.cli.overlay:overlay", "Draw visual prompts into a copy of a picture."),
    "recipes": Entry("benchwright.cli.recipes:recipes", "List the bundled recipes, or copy one."),
    "run": Entry("benchwright.cli.run:run", "Run a recipe over a folder of images, or resume it."),
    "steps": Entry("benchwright.cli.steps:steps", "List the steps that recipes can use, with their settings."),
    "trace": Entry("benchwright.cli.trace:trace", "Show an item's or image's whole history."),
}
