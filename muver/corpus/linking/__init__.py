"""Entity-linking benchmarks over Wikipedia: mentions in BLINK's JSON lines, matched to a base."""
