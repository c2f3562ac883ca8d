"""Files that evaluation and audit give to people: review tasks, and the findings shown next to the items."""
