"""What the page of results and the service's page share: styles, and how elements are made."""

from pathlib import Path

ASSETS = Path(__file__).with_name("assets")
