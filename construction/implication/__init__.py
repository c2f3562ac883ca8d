"""What sets of questions about implications hold, as II-Bench counts it (paper section 3.3 and appendix A)."""
