"""Results: judged predictions, the rows that metrics count, scores, summaries, and what people reached."""
