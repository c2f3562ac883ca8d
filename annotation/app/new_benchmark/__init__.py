"""A new benchmark by a dialogue in the browser; what comes out is a recipe that `benchwright run` takes as well."""
