"""How often Python's garbage collector runs."""

import atexit
import gc

OBJECTS = 50_000


def collect_seldom() -> None:
    """Collect garbage only after ``OBJECTS`` new objects (Python: 700), and not at exit.

    Loading torch makes hundreds of thousands of objects that stay, and scanning them again and
    again takes a quarter of a short stage.
    """
    gc.set_threshold(OBJECTS)
    atexit.register(gc.freeze)
