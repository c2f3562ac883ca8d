"""MM-SAP's three sets (section 3.2 of the paper): visible information, required knowledge, and what no picture
reveals.
"""
