"""Settings of steps: resolved values, help texts, and places in YAML files."""
