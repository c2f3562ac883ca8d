"""The parts that items are made of: choices, boxes, points, views, cut-outs, ideas."""
