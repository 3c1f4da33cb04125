"""Hosts of a virtual cluster (scripts/vcluster)."""
import os
import subprocess
import tempfile

import pytest

from rollbench import COMMAND, ROOT

VCLUSTER = str(ROOT / "scripts/vcluster")
CG = ("cg", "--np", 4)


def need_cluster():
    """Skip the test where namespaces are refused."""
    probe = subprocess.run([VCLUSTER, "probe"], capture_output=True, text=True, timeout=30, check=False)
    if probe.returncode != 0:
        pytest.skip(probe.stderr.strip())


def on_cluster(hosts, script, timeout=100, **kwargs):
    """A shell script on the head of a virtual cluster; $HOSTS is its host file, $RB the command."""
    with tempfile.TemporaryDirectory(prefix="rollbench-test-") as work:
        env = {**os.environ, "HOSTS": f"{work}/hosts", "RB": COMMAND[0], "VC": VCLUSTER, "TMPDIR": work}
        done = subprocess.run([VCLUSTER, "run", str(hosts), "sh", "-ec", '"$VC" hosts >"$HOSTS"; ' + script],
                              capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=timeout, env=env,
                              **kwargs)
        left = [name for name in os.listdir(work) if not name.startswith("prterun.")]  # of one that crashed
        assert left in ([], ["hosts"]), (left, done)
        return done
