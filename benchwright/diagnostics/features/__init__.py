"""Features for comparing pictures: hashes, local features, visual words, embeddings."""
