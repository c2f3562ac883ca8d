"""Settings of steps: resolved values, help texts, and locations in YAML files."""
