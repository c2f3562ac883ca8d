"""Plans of evaluations: how items, orders, wordings, samples and readers affect an interval, and how many to ask."""
