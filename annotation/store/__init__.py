"""The review store: campaigns, tasks, slots and annotations in one database."""
