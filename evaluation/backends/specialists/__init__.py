"""Classical vision programs for one task each: what can be reached without a model that has learned."""
