# SPDX-License-Identifier: GPL-2.0-or-later
"""A clone that stands alone: without ../shared every test is still found, and those that need it skip."""
import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def test_all_tests_are_collected_without_the_shared_folder():
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "--collect-only", "-p", "no:cacheprovider", str(HERE)],
                          env=os.environ | {"NSECWATCH_SHARED": "/nonexistent"}, capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
