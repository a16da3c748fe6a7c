"""Score runs against gold entities, without any model."""
