"""What is computed from rows: products, exact sums, the best bias."""
