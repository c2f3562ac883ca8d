"""Taking decisions in: checked against the form, kept with every version."""
