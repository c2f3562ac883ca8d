"""The HTTP API: what the browser can do, for programs with a token; described by an OpenAPI document."""
