"""What commands print: cleaned, as JSON or for people, with bars of progress."""
