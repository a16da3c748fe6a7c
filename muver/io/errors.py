"""The one exception a user is meant to read."""


class InputError(Exception):
    """A mistake in what the user gave us: a file, a setting, an argument, the machine's state.

    The message names the file, line or key, says what was expected and what to do. Commands print
    it without a traceback and exit with status 2.
    """
