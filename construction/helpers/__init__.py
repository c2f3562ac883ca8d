"""Helpers that propose regions while people mark them: GrabCut, SAM, detectors, endpoints."""
