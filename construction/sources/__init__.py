"""Facts that people stated of photographs, and datasets that bring their own."""
