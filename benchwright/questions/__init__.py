"""Questions as people and models word them: settings, drafts, edits and labels, apart from any room."""
