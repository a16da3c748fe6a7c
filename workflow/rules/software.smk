# Where a rule's commands come from: the environment of Snakemake, or with `--sdm conda` one of conda.
from snakemake.settings.types import DeploymentMethod

from muver.reproduction.settings.file import PACKAGE, home
from muver.reproduction.workspace.running import find_commands, run_code_of

find_commands()
run_code_of(PACKAGE.parent)

for own in workflow.modifier.rules:
    if own.shellcmd:
        own.conda_env = str(home() / "environment.yml")

# Without conda every start would say so.
logger.addFilter(lambda record: record.msg != "Conda environments: ignored")


# The code itself is not installed there: a link brings it, and nothing else of Snakemake's packages.
if DeploymentMethod.CONDA in workflow.deployment_settings.deployment_method:
    CODE = Path(".snakemake/code").absolute()
    CODE.mkdir(parents=True, exist_ok=True)
    if not (CODE / PACKAGE.name).exists():
        (CODE / PACKAGE.name).symlink_to(PACKAGE)
    shell.prefix(
        f"set -euo pipefail; export PYTHONPATH={shlex.quote(str(CODE))};"
        ' muver() {{ python -m muver.cli "$@"; }}; '
    )
