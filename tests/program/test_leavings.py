"""What the runner of the tests takes for left behind."""
import mmap
import os
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


if __name__ == "__main__":
    main()
