"""What the runner of the tests takes for left behind."""
import mmap
import os
import pathlib
import subprocess
import sys

from rollbench import ROOT, main, new_folder

sys.path.append(str(ROOT / "tests"))
import leavings  # noqa: E402  (the path must be known first)


def test_memory_of_a_living_process_is_not_left_behind():
    folder = new_folder()
    path, other = folder / "segment", folder / "its name elsewhere"  # as another root file system has it
    path.write_bytes(bytes(mmap.PAGESIZE))
    os.link(path, other)
    assert leavings.unused({path, folder / "gone"}) == {path}
    with open(other, "r+b") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE):
        assert leavings.unused({path}) == set()
    assert leavings.unused({path}) == {path}


def test_a_segment_is_not_told_while_another_job_lives():
    segment, other = new_folder() / f"{leavings.SEGMENT}vm.0", new_folder() / "rollbench"
    segment.touch()
    other.touch()
    environment = {name: value for name, value in os.environ.items() if name != leavings.MARK}
    with subprocess.Popen(["sleep", "60"], env={**environment, "PMIX_NAMESPACE": "of another job"}) as job:
        assert leavings.unused({segment, other}) == {other}
        job.kill()
    mine = {**environment, leavings.MARK: f"{os.getpid()}.this", "PMIX_NAMESPACE": "of a test"}
    with subprocess.Popen(["sleep", "60"], env=mine) as job:
        lines = pathlib.Path(f"/proc/{job.pid}/environ").read_bytes().split(b"\0")
        assert not leavings.is_of_another_job(lines) and leavings.is_of_another_job([b"PMIX_NAMESPACE=x"]), lines
        job.kill()


if __name__ == "__main__":
    main()
