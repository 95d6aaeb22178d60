"""Inference: WHICH labelling is the best; max-sum engines, each usable by itself."""
