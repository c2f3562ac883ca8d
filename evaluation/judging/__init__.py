"""An optional judge: a model that reads the replies from which our reader could read no answer."""
