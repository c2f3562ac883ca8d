"""From an audit's findings to a corrected release: campaigns for annotators, errata, and the resulting changes."""
