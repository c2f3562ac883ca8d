"""The pipeline: runs a recipe's steps over a workspace, going on where an earlier run stopped."""

from benchwright.pipeline.run import open_view, run_recipe, run_steps
from benchwright.pipeline.view import View
from benchwright.workspace.run_results import FinishedRun, StepReport

__all__ = ["FinishedRun", "StepReport", "View", "open_view", "run_recipe", "run_steps"]
