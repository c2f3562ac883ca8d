"""Distractors for every step that makes options which are texts: where they come from, and which may stand.

A source proposes candidates (`sources`), checks refuse those that would spoil a question (`checks`), and the best of
the others are taken (`choosing`), with an estimate of how hard they make it (`difficulty`). Where several questions
have answers of one form, they lend each other their answers (`exchange`), and who sees the options alone guesses.
"""
