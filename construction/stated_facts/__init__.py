"""Facts that people stated about photographs: the step `facts`, and how tasks read them."""
