"""Ideas for manipulations (MVP-Bench, section 4.1, step one): the step `ideas` and its writers."""
