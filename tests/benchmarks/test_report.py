"""Counted operations, verdicts, and the page."""

from benchmarks import flops, page
from benchmarks.rows import Findings, Row
from muver.encoders.bert import BertConfig


def test_operations_by_hand():
    """One layer: keys and values of three tokens, the rest for the first."""
    config = BertConfig(hidden_size=2, num_hidden_layers=1, intermediate_size=8)
    keys_values = 3 * 2 * (2 * 2 * 2)
    one_token = 2 * (2 * 2 * 2) + 2 * (2 * 2 * 8)
    attention = 3 * (2 * 2 + 2 * 2)
    assert flops.forward(config, [3]) == keys_values + one_token + attention


def test_a_further_layer_has_all_tokens():
    sizes = {"hidden_size": 2, "intermediate_size": 8}
    one, two = (flops.forward(BertConfig(num_hidden_layers=n, **sizes), [3]) for n in (1, 2))
    linear = 3 * (4 * (2 * 2 * 2) + 2 * (2 * 2 * 8))
    attention = 3 * 3 * (2 * 2 + 2 * 2)
    assert two - one == linear + attention
    assert flops.training(BertConfig(num_hidden_layers=1, **sizes), [3]) == 3 * one


def test_verdicts():
    assert Row("a", "b", ratio=2.0, reach=2.0).verdict == "met"
    assert Row("a", "b", ratio=1.9, reach=2.0).verdict == "missed"
    assert Row("a", "b", ratio=1.9, reach=1.5, at_most=True).verdict == "missed"
    assert Row("a", "b", ratio=1.9).verdict == ""


def test_page_has_a_section_a_machine(tmp_path):
    findings = Findings([Row("ranking", "max", "mentions/s", 40.0, 1000.0, 25.0, 20.0)])
    findings.agree(True, "lists identical")
    findings.agree(False, "vectors apart")
    for device in ("Kind A", "Kind B"):
        machine = {"device": device, "CPU": "Kind A", "threads": "2", "torch": "2.0"}
        machine["vector instructions"] = "AVX2"
        page.save(findings, machine, "made", "python -m benchmarks", tmp_path)
    page.write_page(tmp_path, tmp_path / "performance.md")
    text = (tmp_path / "performance.md").read_text()
    assert "## Kind A, AVX2, 2 threads" in text and "## Kind B, 2 threads" in text
    assert (
        "| ranking | max | 40.0 mentions/s | 1,000 mentions/s | 25.0 | at least 20.0 | met |"
        in text
    )
    assert "- **different**: vectors apart" in text
