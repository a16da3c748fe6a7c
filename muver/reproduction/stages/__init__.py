"""The stages of the workflow as a table: what each is called, what it reads and writes, its work.

An entry says where the work is done, as ``package.module:function``, whose parameters are the
options. The work is imported when a stage runs, so that help is quick. The workflow asks which code
decides an output.
"""

from muver.reproduction.stages.checks import CHECKS
from muver.reproduction.stages.corpus import CORPUS
from muver.reproduction.stages.engine import ENGINE
from muver.reproduction.stages.indexes import INDEXES
from muver.reproduction.stages.kb import KNOWLEDGE_BASES
from muver.reproduction.stages.queries import QUERIES
from muver.reproduction.stages.results import RESULTS
from muver.reproduction.stages.serve import SERVICE
from muver.reproduction.stages.stage import Option, Stage

__all__ = ["STAGES", "Option", "Stage"]

STAGES = {
    stage.name: stage
    for stage in (
        *CORPUS,
        *KNOWLEDGE_BASES,
        *ENGINE,
        *INDEXES,
        *QUERIES,
        *SERVICE,
        *RESULTS,
        *CHECKS,
    )
}
