"""Own knowledge bases: importing them, indexes that change, the service, other tools' plugins."""
