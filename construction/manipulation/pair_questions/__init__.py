"""Questions about a natural and a manipulated image, after MVP-Bench (section 3, and step three of section 4.1)."""
