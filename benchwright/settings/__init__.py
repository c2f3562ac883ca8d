"""Settings of steps: as resolved, their help, the lines of a YAML file that state them."""
