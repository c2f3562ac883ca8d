"""Label Studio, both ways: campaigns go there as projects, and what people say there comes back."""
