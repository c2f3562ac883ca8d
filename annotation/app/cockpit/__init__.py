"""The pages from which curators steer: rules and thresholds tried, guidelines edited, the run."""
