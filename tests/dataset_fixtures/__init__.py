"""Small source datasets as their authors lay them out, written from the layout page and by no code of Benchwright."""
