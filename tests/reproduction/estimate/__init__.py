from muver.retriever.encoders.settings import Compute
from tests import tiny

COMPUTE = tiny.settings(Compute, training_precision="fp32")
