"""Templates, models and data as files and in memory."""
