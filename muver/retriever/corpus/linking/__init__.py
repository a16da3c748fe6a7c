"""Entity-linking benchmarks over Wikipedia: their mentions, matched to a knowledge base."""
