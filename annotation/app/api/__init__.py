"""The HTTP API: what the browser does, for programs with a token, described by an OpenAPI document."""
