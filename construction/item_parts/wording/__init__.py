"""Words of questions: wordings with one meaning, plurals and articles, claims about the arrangement of two things."""
