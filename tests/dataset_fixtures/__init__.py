"""Small source datasets in their authors' layouts, written from the layout page and without Benchwright's code."""
