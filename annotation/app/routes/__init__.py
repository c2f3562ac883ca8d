"""Routes that a page uses in addition to its own URL: pictures, drafts, photographs, guidelines."""
