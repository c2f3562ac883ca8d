"""The shortcut battery: solvers that answer items without doing the task, and the cues that make this possible."""
