"""What was measured of one's own photographs and lies beside them: depth maps, masks, poses of cameras."""
