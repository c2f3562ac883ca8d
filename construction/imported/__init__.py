"""Questions of benchmarks that exist already: their files are read, and become ordinary items of a run."""
