"""Models behind endpoints and on this machine, for every room: one chat client, request fields, batches."""
