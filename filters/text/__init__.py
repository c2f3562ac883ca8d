"""The proportion of a picture that text covers: OCR engines, regions and calibration."""
