"""An optional judge: a model that reads the replies in which the reader found no answer."""
