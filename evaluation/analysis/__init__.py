"""What results tell beyond a score: which models differ, position bias, likely wrong keys, samples of errors."""
