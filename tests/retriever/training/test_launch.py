from muver.retriever.training.launch import launcher


def test_one_process_is_the_command_itself():
    assert launcher(1) == "muver"


def test_torchrun_leaves_the_options_to_the_stage():
    """Some of them begin as torchrun's own do: --log, --start, --rdzv."""
    from torch.distributed.run import get_args_parser

    stage = ["stage", "train", "--log", "FILE", "--start", "DIR", "--label", "muver"]
    torchrun, *words = launcher(3).split() + stage
    asked = get_args_parser().parse_args(words)
    assert torchrun == "torchrun" and asked.nproc_per_node == "3" and asked.standalone
    assert (asked.module, asked.training_script) == (True, "muver.cli")
    assert asked.training_script_args == stage
