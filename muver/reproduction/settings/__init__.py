"""What is run: params.yaml, checked and complete, and the settings of each stage."""
