"""Words of questions: wordings with the same meaning, plurals and articles, claims about the arrangement of two
objects.
"""
