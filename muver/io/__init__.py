"""Ground of all rooms: files, typed settings, errors and progress."""
