"""The processor, as a file of Linux's lists it."""

import platform

from muver.io import processor

TWO = """processor\t: 0
vendor_id\t: AuthenticAMD
model name\t: Some CPU
flags\t\t: fpu avx2
bugs\t\t: avx512f

processor\t: 1
flags\t\t: fpu avx
"""


def test_the_first_processor_counts(tmp_path, monkeypatch):
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "cpuinfo")
    processor.CPUINFO.write_text(TWO)
    assert (processor.name(), processor.vendor()) == ("Some CPU", "AuthenticAMD")
    assert processor.flags() == {"fpu", "avx2"}


def test_without_such_a_file_only_its_kind_is_known(tmp_path, monkeypatch):
    monkeypatch.setattr(processor, "CPUINFO", tmp_path / "nowhere")
    assert processor.name() in (platform.processor(), platform.machine())
    assert (processor.vendor(), processor.flags()) == ("", set())
