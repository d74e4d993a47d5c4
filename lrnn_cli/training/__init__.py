"""Losses, optimisers and the training loop."""
