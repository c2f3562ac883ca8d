"""The evaluation report: one HTML page with scores, plots and items, made from a folder of results and its release."""
