"""The core: one loop for every rule, and certificates of what it learned."""
