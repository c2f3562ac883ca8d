"""Distractors for every step with options that are texts: their sources, and the checks that they must pass.

A source proposes candidates (`sources`), checks refuse those that would spoil a question (`checks`), and the best of
the others are taken (`choosing`), with an estimate of their difficulty (`difficulty`). Several questions with answers
of one form lend each other their answers (`exchange`), so that a solver that sees only the options has to guess.
"""
