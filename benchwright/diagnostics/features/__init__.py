"""Features by which pictures are compared: hashes, local features, visual words, embeddings."""
