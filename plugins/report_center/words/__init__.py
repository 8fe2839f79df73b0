"""The texts of the pages, one file per language, both with the same keys."""
