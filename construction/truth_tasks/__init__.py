"""What tasks made of ground truth share: plans, pictures, correspondences, puzzles."""
