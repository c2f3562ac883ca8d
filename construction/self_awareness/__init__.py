"""MM-SAP's three sets (paper section 3.2): visible information, required knowledge, and what no picture reveals."""
