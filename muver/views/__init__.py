"""Views of an entity: pieces of its description, from sentences upwards."""
