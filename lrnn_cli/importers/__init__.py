"""Data of other systems, read and written as data of ours. Each format is one module behind one small interface."""
