"""Routes that pages use in addition to their own URLs: pictures, drafts, photographs, guidelines."""
