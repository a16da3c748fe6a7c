"""How the workflow starts a training."""


def launcher(processes: int) -> str:
    """Return the shell words before a stage's name: one process, or torchrun with several.

    The ``--`` keeps torchrun from taking the stage's options for its own.
    """
    if processes == 1:
        return "muver"
    return f"torchrun --standalone --nproc-per-node {processes} -m -- muver.cli"
