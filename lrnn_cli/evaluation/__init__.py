"""Folds, metrics, and what is in a data set."""
