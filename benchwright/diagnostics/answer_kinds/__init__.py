"""What kind of answer an option is, such as a color or a place, and what kinds a question asks for, in English."""
