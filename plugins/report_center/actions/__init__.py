"""The pages that change something: each says first what will happen, and asks."""
