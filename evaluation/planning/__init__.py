"""Plans of evaluations: what items, orders, wordings, samples and readers add to an interval, and how many to ask."""
