"""The simulator's reference engine against SimGrid's actors (docs/simulator.md). Each case has a simulation of its own."""
import os
import re
import subprocess

import pytest

from rollbench import HELPERS

PROGRAM = HELPERS / "simgrid_check"


def check(*args):
    """Run simgrid_check; returns its exit status and its lines."""
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("SimGrid is not installed, so simgrid_check was not built")
    done = subprocess.run([PROGRAM, *map(str, args)], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    return done.returncode, done.stdout.splitlines()


def all_equal(first, cases):
    status, lines = check(first, cases)
    counts = re.fullmatch(r"all equal: (\d+) cases, (\d+) failures, (\d+) repairs, (\d+) overlaps, (\d+) iterations repeated, "
                          r"(\d+) supported; next seed \d+", lines[-1])
    assert status == 0 and len(lines) == 1 and counts, "\n".join(lines)
    counts = [int(n) for n in counts.groups()]
    # The cases are worth something: many failures, also in recoveries, and duplicates.
    assert counts[0] == cases and all(n > cases / 4 for n in counts[1:]), lines
    print(lines[-1])


@pytest.mark.long
def test_random_cases():
    all_equal(1, 120)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_more_random_cases():
    all_equal(1_000_000, 1500)


def delayed(first, cases):
    """Roles share cores and links: nobody is early, and hosts take the energy of the work (simgrid_check --shared)."""
    status, lines = check("--shared", first, cases)
    assert status == 0 and lines[-1].startswith(f"all as expected: {cases} cases, "), "\n".join(lines)
    assert int(lines[0].split()[0]) > cases / 2, lines  # else nothing was shared
    print(*lines)


def test_shared_cases():
    delayed(1, 60)


@pytest.mark.long
@pytest.mark.timeout(400)
def test_more_shared_cases():
    delayed(1_000_000, 1500)


def test_a_stencil():
    status, lines = check("--stencil", 100, 50)
    assert status == 0 and lines[-1].startswith("all equal: 100 roles x 50 iterations"), lines


def test_one_tick_is_found():
    status, lines = check("--longer", 1, 100)
    assert status == 1 and lines[-1].startswith("NOT EQUAL: 1 cases"), lines
    assert any(re.match(r"  role \d+ ends: ref .* simgrid ", line) for line in lines), lines
    assert any(line.startswith("case: ") and "seed 1)" in line for line in lines), lines


def test_its_library_does_not_get_into_the_others():
    if not os.access(PROGRAM, os.X_OK):
        pytest.skip("SimGrid is not installed")
    for program, has, mpi in ((HELPERS.parent / "rollbench", False, False), (HELPERS.parent / "rollbench_worker", False, True),
                              (PROGRAM, True, False)):
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        assert ("libsimgrid" in libraries, "libmpi" in libraries) == (has, mpi), (program, libraries)
