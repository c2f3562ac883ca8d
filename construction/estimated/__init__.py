"""Ground truth of your own photographs, estimated by models; people decide whether to accept the items made from it."""
