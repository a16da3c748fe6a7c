"""How often Python looks for garbage that refers to itself."""

import atexit
import gc

OBJECTS = 50_000


def collect_seldom() -> None:
    """Look for garbage only after ``OBJECTS`` new objects (Python: 700), and not at the end.

    Loading torch makes hundreds of thousands of objects that stay, and looking through them again
    and again takes a quarter of a short stage. Whatever is left at the end goes with the process.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)
