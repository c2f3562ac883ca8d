"""Helpers that propose regions to annotators who mark pictures: GrabCut, SAM, detectors, endpoints."""
