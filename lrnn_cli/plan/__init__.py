"""Plans of many tasks, such as all folds of a crossvalidation, and who carries them out."""
