"""Helpers that propose regions during marking: GrabCut, SAM, detectors, endpoints."""
