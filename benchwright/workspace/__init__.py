"""The workspace: its folder, tables in shards, objects, caches, and how what a run left is read."""
