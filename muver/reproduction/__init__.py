"""The reproduction: settings, the graph of artifacts, tables, records and the page."""
