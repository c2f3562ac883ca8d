"""Results: judged predictions, the rows that metrics count, scores, summaries and the human baseline."""
