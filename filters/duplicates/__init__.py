"""Equal and near-duplicate pictures: candidates, the second look, who stays."""
