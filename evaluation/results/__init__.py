"""What a run of a model comes to: judged predictions, scores, summaries."""
