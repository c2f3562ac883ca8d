"""The HTTP API: the browser's actions for programs with a token, described by an OpenAPI document."""
