"""Keys and scores: replies brought along, keys that they or explanations speak against, ambiguity, power, effects."""
