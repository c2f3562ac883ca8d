"""The shared bases of tasks that use ground truth: plans, pictures, correspondences, puzzles."""
