"""The Anderson tasks: hyperplanes between Gaussians."""
