"""Pictures of questions: columns and cells that name them, and the files that the names denote."""
