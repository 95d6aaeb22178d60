"""The loop: visit a set, move w if its lowest vector is violated, until every set is satisfied."""
