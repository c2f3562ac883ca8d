"""Which columns of a file hold what: names that are guessed, what a curator states, splits that paths tell."""
