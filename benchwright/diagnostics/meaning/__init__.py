"""What words mean, without a network: a WordNet that the user has, languages by word lists, a local sentence model."""
