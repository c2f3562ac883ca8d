"""An optional judge: a model that reads the replies in which our reader found no answer."""
