"""Models without what does not matter."""
