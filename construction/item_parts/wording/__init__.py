"""Words of questions: wordings that mean the same, plurals and articles, claims on how two things lie."""
