"""Commands of tests do their work in one process, unless --jobs says otherwise: tests run beside each other already.

The default of --jobs is the number of processors when the options are imported. A copy of the process of all tests,
for each half of what a small test learns, takes longer than the half.
"""

from unittest import mock

with mock.patch("os.cpu_count", return_value=1):
    import lrnn_cli.grounding.options  # noqa: F401
