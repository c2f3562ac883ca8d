"""From what an audit found to a corrected release: campaigns that people decide, errata, and what they changed."""
