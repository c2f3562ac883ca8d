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
        "evaluate report": Entry(f"{_HERE}.commands:report", "Write a page with scores, plots and items."),
    },
    backends={
        "random": Entry(f"{_HERE}.backends.baselines:random", "Baseline: a letter drawn evenly."),
        "constant": Entry(f"{_HERE}.backends.baselines:constant", "Baseline: always one letter, as in constant:A."),
        "longest": Entry(f"{_HERE}.backends.baselines:longest", "Baseline: the option with the most characters."),
        "text_classifier": Entry(
            f"{_HERE}.backends.text_classifier:text_classifier",
            "Baseline: learns from the words alone, cross-validated on the release.",
        ),
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
        "transformers": Entry(
            f"{_HERE}.backends.local_models:transformers",
            "A local vision-language model, as in transformers:FOLDER or transformers:ORG/NAME@REVISION.",
        ),
        "likelihood": Entry(
            f"{_HERE}.backends.local_models:likelihood",
            "The same, answering with the option that it finds likeliest, as in likelihood:FOLDER.",
        ),
    },
    metrics={
        "accuracy": Entry(f"{_HERE}.metrics:accuracy", "Share of asked items answered right, overall and per task."),
        "accuracy_macro": Entry(f"{_HERE}.metrics:accuracy_macro", "Unweighted mean of the tasks' accuracies."),
    },
)
