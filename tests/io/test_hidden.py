"""A package that is hidden, as seen by pyarrow and by those who look whether it is installed."""

import subprocess
import sys

PROGRAM = """
import importlib.util, sys
from muver.io.hidden import hide
hide("pandas")
import pyarrow
assert pyarrow.chunked_array([[1, 2]]).to_numpy().tolist() == [1, 2]
assert "pandas" not in sys.modules and importlib.util.find_spec("pandas")
import json.tool  # others are found
try:
    import pandas
except ImportError as error:
    print(error, error.name)
"""


def test_pyarrow_goes_without_a_hidden_pandas():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True
    )
    assert done.stdout == "pandas is hidden from this command. pandas\n"
