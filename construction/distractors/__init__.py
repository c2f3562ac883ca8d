"""Distractors for every step with text options: their sources and the checks that they must pass.

A source proposes candidates (`sources`), checks refuse those that would spoil a question (`checks`), and the best of
the rest are chosen (`choosing`), with an estimate of their difficulty (`difficulty`). Questions whose answers have the
same form share their answers as options (`exchange`), so that a solver that sees only the options has to guess.
"""
