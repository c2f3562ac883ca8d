"""An optional model that reads replies of which our reader could make nothing."""
