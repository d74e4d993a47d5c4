"""Models of ours as programs of other systems."""
