"""Texts that strangers wrote: normal forms, characters that hide."""
