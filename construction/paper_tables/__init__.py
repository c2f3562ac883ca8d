"""What releases hold, counted as papers count: II-Bench's labels, MM-SAP's three sets, MVP-Bench's pairs."""
