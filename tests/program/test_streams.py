"""Standard output that is closed or full: it is said, the exit status tells it, and no file is written into by mistake."""
import json
import os
import subprocess

import pytest

from rollbench import COMMAND, ROOT, new_folder

LOST = 7
RUN = ("run", "jacobi", "--grid", "16", "--steps", "4", "--np", "2", "--interval", "2", "--json")
OF_C, OF_PYTHON = ("list", "kernels"), ("model", "energy")


def shell(line, **environment):
    return subprocess.run(["sh", "-c", line], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env={**os.environ, **environment}, check=False)


@pytest.mark.parametrize("words", [OF_C, OF_PYTHON])
@pytest.mark.parametrize("to", [">/dev/full", ">&-"])
def test_lost_output_has_one_exit_status(words, to):
    done = shell(f"{' '.join([*COMMAND, *words])} {to}")
    assert done.returncode == LOST and "output is lost" in done.stderr and "Traceback" not in done.stderr, done


def test_a_pipe_that_is_closed_is_no_error():
    for words in (OF_C, OF_PYTHON):
        done = shell(f"{' '.join([*COMMAND, *words])} | head -n 1 >/dev/null")
        assert done.returncode == 0 and not done.stderr, done


def test_a_record_has_no_words_of_a_closed_output():
    """The file would have had the number 1."""
    path = new_folder() / "record.json"
    done = shell(f"{' '.join([*COMMAND, *RUN, str(path)])} >&- 2>&-")
    assert done.returncode == LOST and json.loads(path.read_text())["status"] == "ok", (done, path.read_text())


def test_the_manual_says_the_status():
    assert f"{LOST} output lost" in (ROOT / "README.md").read_text(encoding="utf-8")
