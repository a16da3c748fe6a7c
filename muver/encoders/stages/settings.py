"""What the stages that encode can be told; without torch, so that --help shows it."""

COMPUTE = {
    "device": "auto",
    "precision": "fp32",
    "threads": 1,
    "processes": 1,  # of training jobs; these stages are one process
    "batch_tokens": "auto",
}
ENCODE = {"split": "test", **COMPUTE}
PART = {"dtype": "fp16", **COMPUTE}
GLOBAL = {"max_tokens": 128, **COMPUTE}
SPANS = {"max_views": 10, "max_tokens": 512, **COMPUTE}
MERGE = {
    "layers": 4,
    "top_k": 0.4,
    "pairs": "distant",
    "among": "neighbours",
    "wasted": "kept",
    "max_tokens": 512,
    **COMPUTE,
}
