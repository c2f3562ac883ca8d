"""Questions by people and models, independent of any room: settings, drafts, edits and labels."""
