"""Views of an entity: its description in pieces, from single sentences upwards."""
