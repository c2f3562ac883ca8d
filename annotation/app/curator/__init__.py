"""What only curators see: agreement, annotators, reasons, assignment, and the plots of them."""
