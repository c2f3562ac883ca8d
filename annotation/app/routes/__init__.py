"""Routes that a page uses besides its own URL: pictures, drafts, photographs, guidelines."""
