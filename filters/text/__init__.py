"""The proportion of a picture that is text: engines, regions, calibration."""
