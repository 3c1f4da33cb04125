"""Where results are written: a link stays a link, a FIFO and standard output are written into, and a regular file is there whole or as it was.
The cases one by one: tests/unit_replacement.c."""
import json
import os
import stat
import subprocess
import threading

import pytest

from rollbench import COMMAND, call, new_folder

from plots.common import files
from plots.common.command import Refused

SMALL = ("jacobi", "--grid", 16, "--steps", 4, "--np", 2, "--interval", 2)
PROFILE = ("profile", "jacobi", "--grid", 16, "--steps", 4, "--np", 2)


def through_fifo(write):
    """What a reader of a new FIFO gets, while write(path) runs."""
    path, found = new_folder() / "fifo", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: found.append(path.read_bytes()))
    reader.start()
    write(path)
    reader.join(60)
    assert stat.S_ISFIFO(path.lstat().st_mode)
    return found[0]


def through_link(write):
    """What is in the file to which a link leads, after write(link)."""
    folder = new_folder()
    (folder / "there").write_text("old")
    (folder / "link").symlink_to("there")
    write(folder / "link")
    assert (folder / "link").is_symlink() and sorted(os.listdir(folder)) == ["link", "there"]
    return (folder / "there").read_bytes()


def record(path):
    assert call("run", *SMALL, "--json", path).returncode == 0


def profile(path):
    assert call(*PROFILE, "--out", path).returncode == 0


def figure(path):
    files.put(path, "# end of a table")


@pytest.mark.parametrize("through", [through_link, through_fifo])
@pytest.mark.parametrize("write, marks", [(record, b'"schema": "rollbench-run-1"'), (profile, b"# end of "), (figure, b"# end of ")])
def test_what_is_no_regular_file_stays_what_it_is(through, write, marks):
    assert marks in through(write)


def test_standard_output_has_the_record_behind_what_was_said():
    words = [*COMMAND, *map(str, ("run", *SMALL, "--json", "/dev/stdout"))]
    piped = subprocess.run(words, capture_output=True, text=True, check=True).stdout
    with open(new_folder() / "out", "w+", encoding="utf-8") as file:
        subprocess.run(words, stdout=file, check=True)
        file.seek(0)
        kept = file.read()
    for said in (piped, kept):
        talk, _, text = said.partition("{\n")
        assert "jacobi" in talk and json.JSONDecoder().raw_decode("{" + text)[0]["status"] == "ok", said


def test_a_job_that_does_not_start_leaves_the_profile_of_before():
    path = new_folder() / "profile.csv"
    profile(path)
    before = path.read_bytes()
    assert call("profile", "--out", path, "--", "/no/such/program").returncode == 127
    assert path.read_bytes() == before


def test_nothing_is_replaced_by_a_half(monkeypatch):
    path = new_folder() / "file"
    path.write_text("old")

    def fail(_handle):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(Refused, match="nothing was replaced"):
        files.put(path, b"new")
    assert path.read_text() == "old" and os.listdir(path.parent) == ["file"]
