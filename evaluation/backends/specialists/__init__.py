"""Classical vision programs for one task each, which show what is reached without a learned model."""
