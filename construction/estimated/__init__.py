"""Model estimates of the truth about your own photographs; people decide on the items made from them."""
