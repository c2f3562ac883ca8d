"""Images: what a file is, decoding, formats. Only `decode` lets a file of a user reach a decoder."""
