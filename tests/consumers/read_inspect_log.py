"""Read a log with inspect_ai and print status, model, accuracy, and each sample's answer and score.

Argument: path of the log.
"""

from __future__ import annotations

import sys

from inspect_ai.log import read_eval_log
from print_items import print_json

log = read_eval_log(sys.argv[1])
assert log.results is not None
assert log.samples is not None
[score] = log.results.scores
print_json(
    {
        "status": log.status,
        "model": log.eval.model,
        "accuracy": score.metrics["accuracy"].value,
        "samples": {
            sample.id: [
                sample.output.completion,
                sample.scores["benchwright"].answer,
                sample.scores["benchwright"].value,
            ]
            for sample in log.samples
            if sample.scores
        },
        "errors": [sample.id for sample in log.samples if sample.error],
    }
)
