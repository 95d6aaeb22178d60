"""Checks of scikit-learn that some estimators are expected to fail, and why."""

SEQUENTIAL = {
    "check_sample_weight_equivalence_on_dense_data": "a rule that visits row by row tells a weight from a repetition",
    "check_sample_weight_equivalence_on_sparse_data": "a rule that visits row by row tells a weight from a repetition",
}
