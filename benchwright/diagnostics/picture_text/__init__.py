"""Text in pictures: OCR engines, and the area that text covers."""
