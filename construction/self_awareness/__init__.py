"""MM-SAP's three sets (paper section 3.2): what a picture plainly shows, what must be known, what no picture tells."""
