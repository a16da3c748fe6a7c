"""The exception whose message is for users."""


class InputError(Exception):
    """A mistake in what the user gave: a file, a setting, an argument, the state of the machine.

    The message names the file, line or key, says what was expected and what to do. Commands print
    it without a traceback and exit with status 2.
    """


class Mistake(InputError):
    """A mistake in a request; clients may see the message, which says nothing of the server."""
