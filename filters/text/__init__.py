"""How much of a picture is text: engines, regions, calibration."""
