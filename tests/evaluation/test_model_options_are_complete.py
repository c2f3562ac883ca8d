"""All options that users may set for a model are options of the command line."""

from __future__ import annotations

from benchwright.evaluation.backends.options import BackendOptions, ModelOptions
from benchwright.evaluation.cli.model_options import JUDGE_OPTIONS, MODEL_OPTIONS
from benchwright.evaluation.judging.judge import Judge


def test_every_option_that_users_set_is_an_option_of_the_command() -> None:
    assert set(ModelOptions.model_fields) <= set(MODEL_OPTIONS) <= set(BackendOptions.model_fields)
    assert set(JUDGE_OPTIONS) == set(Judge.model_fields)
    assert set(BackendOptions.model_fields) - set(MODEL_OPTIONS) == {"tries", "backoff_s", "scored"}
