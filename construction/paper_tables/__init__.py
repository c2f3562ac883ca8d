"""Statistics of releases, computed as in the papers: for II-Bench's labels, MM-SAP's three sets and MVP-Bench's
pairs.
"""
