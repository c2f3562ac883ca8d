"""The building blocks of items: choices, boxes, points, views, cut-outs and ideas."""
