"""What the machine has."""

import psutil
from msgspec.structs import replace
from snakemake.utils import available_cpu_count

from muver.reproduction.estimate.machine import THREAD, Machine, assumed, operations, this_machine
from muver.retriever.encoders.sizes import BertConfig
from tests.reproduction.estimate import COMPUTE


def test_the_folder_need_not_exist(tmp_path):
    machine = this_machine(tmp_path / "run" / "deeper")
    assert machine.memory == psutil.virtual_memory().total
    assert (machine.cores, machine.folder) == (available_cpu_count(), str(tmp_path / "run/deeper"))
    assert 0 < machine.room <= psutil.disk_usage(str(tmp_path)).total


def test_jobs_at_once():
    compute = replace(COMPUTE, device="auto", threads=2)
    for cores, gpus, jobs in ((8, 0, 4), (1, 0, 1), (8, 2, 1)):
        assert Machine("build", 1, 1, cores, gpus).at_once(compute) == jobs


def test_a_gpu_that_is_asked_for_may_be_another_machines():
    here = Machine("build", 1, 1, 8, gpus=0)
    assert here.gives_gpu(replace(COMPUTE, device="cuda"))
    assert not here.gives_gpu(replace(COMPUTE, device="auto"))
    assert not Machine("build", 1, 1, 8, gpus=2).gives_gpu(replace(COMPUTE, device="cpu"))


SIZES = BertConfig(
    vocab_size=50, hidden_size=8, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16
)


def test_operations_of_a_token():
    assert operations(SIZES) == 2 * (4 * 8 * 8 + 2 * 8 * 16)


def test_assumed_rates():
    found = assumed(SIZES, replace(COMPUTE, threads=2), gpu=False)
    assert found.encoding == 3 * found.training == 2 * THREAD / operations(SIZES)
    assert assumed(SIZES, replace(COMPUTE, threads=2), gpu=True).encoding > found.encoding
