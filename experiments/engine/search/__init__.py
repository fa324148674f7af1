"""Design search: the points of a space that no other beats, found by bounds first and runs last. docs/search.md is the guide."""
