"""What pictures are compared by: hashes, local features, visual words, embeddings."""
