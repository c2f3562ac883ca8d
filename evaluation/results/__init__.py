"""Results: judged predictions, the rows on which metrics are computed, scores, summaries and the human baseline."""
