"""What the evaluation room brings, by name."""

from __future__ import annotations

from benchwright.rooms import Entry, Room

_HERE = "benchwright.evaluation"

ROOM = Room(
    name="evaluation",
    steps={"evaluate": Entry(f"{_HERE}.step:Evaluate", "Score models on the release that was frozen before.")},
    commands={
        "evaluate run": Entry(f"{_HERE}.commands:run", "Ask a model every item of a release and score its replies."),
        "evaluate score": Entry(f"{_HERE}.commands:score", "Score a file of predictions on a release."),
        "evaluate extract": Entry(f"{_HERE}.commands:extract", "Read the answer letters of free replies."),
        "evaluate summary": Entry(f"{_HERE}.commands:summary", "Show the scores of several models side by side."),
        "evaluate published": Entry(
            f"{_HERE}.published.command:published", "Count a paper's tables again from its published files."
        ),
        "evaluate report": Entry(f"{_HERE}.commands:report", "Write a page with scores, plots and items."),
    },
    backends={
        "random": Entry(f"{_HERE}.backends.baselines:random", "Baseline: a letter drawn evenly."),
        "constant": Entry(f"{_HERE}.backends.baselines:constant", "Baseline: always one letter, as in constant:A."),
        "edge_continuity": Entry(
            f"{_HERE}.backends.specialists.edge_continuity:edge_continuity", "Specialist for jigsaw: compares seams."
        ),
        "local_features": Entry(
            f"{_HERE}.backends.specialists.local_features:local_features",
            "Specialist for visual_correspondence: compares SIFT descriptors.",
        ),
        "predictions": Entry(
            f"{_HERE}.backends.predictions:predictions", "Answers from a file, as in predictions:FILE.jsonl."
        ),
        "openai": Entry(
            f"{_HERE}.backends.openai_chat:openai_chat",
            "A model behind any OpenAI-compatible endpoint, as in openai:NAME.",
        ),
    },
    metrics={
        "accuracy": Entry(f"{_HERE}.metrics:accuracy", "Share of asked items answered right, overall and per task."),
        "accuracy_macro": Entry(f"{_HERE}.metrics:accuracy_macro", "Unweighted mean of the tasks' accuracies."),
    },
)
