"""Pictures of questions: columns and cells that name them, and the files that these names mean."""
