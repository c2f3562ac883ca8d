"""What items are put together from: choices, boxes, points, views, cut-outs, ideas."""
