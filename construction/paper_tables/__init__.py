"""Statistics of releases, computed as in the papers: II-Bench's labels, MM-SAP's three sets, MVP-Bench's pairs."""
