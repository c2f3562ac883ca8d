"""Common parts of tasks made from ground truth: plans, pictures, correspondences, puzzles."""
