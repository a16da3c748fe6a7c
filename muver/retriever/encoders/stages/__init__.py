"""The stages that fill a view store, and those that add further views to it.

Merged layers, global views and exhaustive spans lie in folders of their own. Their manifests hold
the store's fingerprint, so that retrieval can refuse views of another store.
"""
