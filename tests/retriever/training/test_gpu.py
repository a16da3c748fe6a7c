"""On a GPU: the vectors, gradients and models of a processor. Skipped where there is none."""

import copy

import numpy as np
import pytest
import torch
from accelerate import Accelerator

from muver.reproduction.settings.precision import fast_at_bf16
from muver.retriever.encoders import device
from muver.retriever.encoders.biencoder import BiEncoder
from muver.retriever.encoders.bulk import encode_vectors
from tests import tiny
from tests.retriever.training import test_caching, test_loop

pytestmark = [
    pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.usefixtures("accelerator_state"),
]
SEQUENCES = [
    [5, *np.random.default_rng(0).integers(8, 60, n).tolist(), 6]
    for n in (3, 0, 11, 5, 3, 29, 1) * 60
]


@pytest.fixture
def small_memory():
    """Calls a function while the GPU holds little more than what is on it by then."""
    torch.cuda.empty_cache()

    def small_memory(extra: int, work, *args, **settings):
        total = torch.cuda.get_device_properties(0).total_memory
        torch.cuda.set_per_process_memory_fraction((torch.cuda.memory_reserved() + extra) / total)
        return work(*args, **settings)

    yield small_memory
    torch.cuda.set_per_process_memory_fraction(1.0)


def weights(model) -> dict[str, torch.Tensor]:
    return {name: one.detach().cpu() for name, one in model.state_dict().items()}


def gradients(model) -> dict[str, torch.Tensor]:
    return {name: one.cpu() for name, one in test_caching.gradients(model).items()}


@pytest.mark.parametrize("more", [{}, {"pooling": "all"}, {"pooling": "special"}, {"scale": 20}])
def test_vectors_are_those_of_a_processor(encoder, more):
    model = tiny.make_model(encoder, **more)
    expected = encode_vectors(model.encode_mentions, SEQUENCES, 32, 10_000)
    model.to("cuda")
    vectors = encode_vectors(model.encode_mentions, SEQUENCES, 32, 10_000, "cuda")
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-5)


@pytest.mark.parametrize("case", test_caching.CASES)
@pytest.mark.parametrize("graph_tokens", [0, test_caching.EVERYTHING])
def test_gradients_are_those_of_a_processor(encoder, accelerator_state, case, graph_tokens):
    views, gold, more = test_caching.CASES[case]
    theirs = tiny.make_model(encoder, **more)
    ours = copy.deepcopy(theirs).to("cuda")
    expected = test_caching.cached_step(
        theirs, Accelerator(cpu=True), views, 25, graph_tokens, gold
    )
    accelerator_state._reset_state(True)
    loss = test_caching.cached_step(ours, Accelerator(), views, 25, graph_tokens, gold)
    assert loss == pytest.approx(expected, rel=1e-5)
    test_caching.assert_equal_gradients(gradients(ours), theirs)


def trained(folder, encoder, corpus, precision="fp32", **training) -> BiEncoder:
    settings = {**test_loop.SETTINGS, "training": {**test_loop.TRAINING, **training}}
    compute = {**tiny.COMPUTE, "device": "cuda", "precision": precision}
    test_loop.train(settings, compute, encoder, *corpus, **test_loop.places(folder))
    return BiEncoder.from_pretrained(folder / "model")


def test_a_killed_training_goes_on_to_the_same_model(encoder, corpus, tmp_path, killed):
    whole = trained(tmp_path / "whole", encoder, corpus)
    killed(6, trained, tmp_path / "killed", encoder, corpus)
    resumed = weights(trained(tmp_path / "killed", encoder, corpus))
    for name, one in weights(whole).items():
        torch.testing.assert_close(resumed[name], one, rtol=0, atol=1e-5, msg=name)


def test_encoding_goes_on_where_the_memory_is_too_small(encoder, small_memory, caplog):
    model = tiny.make_model(encoder).to("cuda")
    many = SEQUENCES * 50
    expected = encode_vectors(model.encode_views, many, 32, 4000, "cuda")
    torch.cuda.empty_cache()
    with caplog.at_level("WARNING", logger="muver"):
        vectors = small_memory(
            30_000_000, encode_vectors, model.encode_views, many, 32, 10**9, "cuda"
        )
    assert "out of the GPU's memory with a batch of" in caplog.messages[0]
    np.testing.assert_allclose(vectors, expected, rtol=0, atol=1e-5)


def test_a_step_that_does_not_fit_is_repeated_in_less_memory(encoder, small_memory, caplog):
    views = [some * 400 for some in test_caching.VIEWS]
    kept = tiny.make_model(encoder).to("cuda")
    accelerator = Accelerator()

    def step(graph_tokens: int) -> float:
        return test_caching.cached_step(kept, accelerator, views, 4000, graph_tokens)

    expected = step(0)
    torch.cuda.empty_cache()
    with pytest.raises(torch.OutOfMemoryError):
        small_memory(30_000_000, step, test_caching.EVERYTHING)
    kept.zero_grad(set_to_none=True)
    torch.cuda.empty_cache()
    assert small_memory(30_000_000, step, 0) == pytest.approx(expected, rel=1e-5)


def test_what_auto_stands_for():
    capability = torch.cuda.get_device_capability()
    assert fast_at_bf16("auto") == fast_at_bf16("cuda") == (capability >= (8, 0))
    assert device.start("auto", "fp32", 1).device.type == "cuda"
