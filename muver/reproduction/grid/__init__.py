"""The grid over hyper-parameters of the paper's appendix, scored on validation."""
