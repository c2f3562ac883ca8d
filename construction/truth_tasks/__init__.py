"""The shared base of tasks made from ground truth: plans, pictures, correspondences, puzzles."""
