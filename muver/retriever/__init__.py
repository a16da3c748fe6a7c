"""The retriever: texts become views, vectors, rankings, trained models and their scores."""
