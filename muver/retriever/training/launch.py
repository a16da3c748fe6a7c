"""The shell command that starts a training."""


def launcher(processes: int) -> str:
    """The shell words before a stage's name: one process, or torchrun with several.

    The ``--`` keeps torchrun from reading the stage's options as its own.
    """
    if processes == 1:
        return "muver"
    return f"torchrun --standalone --nproc-per-node {processes} -m -- muver.cli"
