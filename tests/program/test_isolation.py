"""The runner of the tests: what a test leaves is noticed, and what other jobs do is not held against it."""
import contextlib
import mmap
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys

import elc_runs
from rollbench import COMMAND, ROOT, descendants_named, main, new_folder, not_here, wait_until

import isolation  # the path is known by rollbench
import leavings


def runner(scripts, *options):
    """Runs {name: shell script} as if these were all unit tests that there are; the output is in .stdout."""
    programs = new_folder() / "tests"
    programs.mkdir()
    for name, script in scripts.items():
        program = programs / f"unit_{name}"
        program.write_text(f"#!/bin/sh -eu\n{script}\n", encoding="utf-8")
        program.chmod(0o755)
    return subprocess.Popen([ROOT / "tests" / "run-tests", *options, "unit_"], text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                            env={**os.environ, "ROLLBENCH_BIN_DIR": str(programs.parent)})


def outcomes(output):
    """{name: how the test ended, and what the runner says to that}."""
    return {name: (status, said) for status, name, said in
            re.findall(r"^\[\d+/\d+\] (\S+) +unit_(\w+) \(.*\)\n((?:    .*\n)*)", output, re.M)}


def isolated_or_not_here():
    try:
        subprocess.run(["true"], check=True, preexec_fn=lambda: isolation.begin(str(ROOT)))
    except subprocess.SubprocessError:
        not_here("this machine permits no mount namespaces: run it as root, or allow user namespaces")


def test_what_a_test_leaves_is_noticed():
    isolated_or_not_here()
    output, _ = runner({
        "nothing": "cd /dev/shm && [ -z \"$(ls -A)\" ] && echo 1 >1 && rm 1",
        "memory": "echo 1 >/dev/shm/segment",
        "folder": "mkdir /dev/shm/rollbench-1 && echo 1 >/dev/shm/rollbench-1/segment",
        "file": 'echo 1 >"$TMPDIR/file"',
        "process": "sleep 100 & :",
    }).communicate()
    found = outcomes(output)
    assert len(found) == 5 and output.endswith("\n1 passed, 4 failed\n"), output
    for name, words in (("memory", "it left behind: segment in /dev/shm"), ("process", "sleep 100"),
                        ("folder", "it left behind: rollbench-1 with segment in /dev/shm"),
                        ("file", "it left behind: file in its folder for temporary files")):
        assert found[name][0] == "FAIL" and words in found[name][1], (name, output)


def test_of_the_checkout_only_the_build_can_be_written():
    isolated_or_not_here()
    checkout = new_folder()
    (checkout / "build").mkdir()
    isolation.begin(str(checkout))
    memory = isolation.memory_for("this")
    for place, writable in (("here", False), (checkout / "here", False), ("build/here", True),
                            (checkout / "build" / "there", True)):
        done = subprocess.run(["sh", "-c", 'echo 1 >"$0"', place], cwd=checkout, capture_output=True, text=True,
                              preexec_fn=lambda: isolation.enter(memory, str(checkout), [str(checkout / "build")]))
        assert (done.returncode == 0) == writable and ("Read-only" in done.stderr) != writable, (place, done)
    assert sorted(map(str, checkout.rglob("*"))) == [f"{checkout}/build{name}" for name in ("", "/here", "/there")]


def segments(program):
    """What the ranks of a foreign job have in shared memory."""
    return {path for pid, _ in descendants_named(program) for path in leavings.mapped(pid)
            if path.is_relative_to(isolation.SHARED_MEMORY) and path.exists()}


class Foreign:
    """A job of 8 ranks that no test has begun, as far as the runner can know."""

    def __init__(self, folder):
        self.program, self.temporary = folder / "neurons", folder / "temporary"
        self.temporary.mkdir()
        self.program.symlink_to(elc_runs.PAPERS / "neurons")
        self.job = subprocess.Popen(elc_runs.command(8, self.program, "--steps", 100000000), stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                    env={**os.environ, "TMPDIR": str(self.temporary)})
        self.segments = wait_until(lambda: len(found := segments(self.program)) >= 8 and found)

    def end(self, number):
        """SIGTERM: as the user's Ctrl-C, after which it removes its segments. SIGKILL: all at once, and they stay."""
        if number == signal.SIGTERM:
            self.job.terminate()
        while number == signal.SIGKILL and (alive := descendants_named(self.program)):
            for pid, _ in alive:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
        wait_until(lambda: not descendants_named(self.program))
        self.job.wait()
        self.program.unlink()
        shutil.rmtree(self.temporary)


def beside_foreign_jobs(*options):
    """One test begins before any of them, has jobs of its own beside them, and ends after they have been killed."""
    folder = new_folder()
    own = [shlex.join(map(str, argv)) for argv in (
        elc_runs.command(2, elc_runs.PAPERS / "neurons", "--steps", 10),
        [*COMMAND, "run", "jacobi", "--grid", "16", "--steps", "4", "--np", "2"])]
    tests = runner({"beside": f"""cd {folder}
        await() {{ until [ -e "$1" ]; do sleep 0.02; done; }}
        touch begun; await first
        {own[0]}; touch one; await second
        {own[1]}; touch two; await gone"""}, *options)
    stay = set()
    try:
        for number, before, here, done in ((signal.SIGTERM, "begun", "first", "one"),
                                           (signal.SIGKILL, "one", "second", "two")):
            wait_until(lambda: (folder / before).exists() or tests.poll() is not None)
            foreign = Foreign(folder)
            (folder / here).touch()
            wait_until(lambda: (folder / done).exists() or tests.poll() is not None)
            foreign.end(number)
            stay |= {path for path in foreign.segments if path.exists()}
        assert stay, "a job that is killed leaves no segment, so there is nothing to be mistaken"
        (folder / "gone").touch()
        output, _ = tests.communicate()
    finally:
        for path in stay:
            path.unlink()
    return output


def test_other_jobs_are_not_held_against_a_test():
    for options in ((), ("--no-isolation",)):
        output = beside_foreign_jobs(*options)
        assert output.endswith("\n1 passed, 0 failed\n"), (options, output)


HOLDER = """
import mmap, sys
with open(sys.argv[1], "r+b") as file, mmap.mmap(file.fileno(), mmap.PAGESIZE):
    print(flush=True)
    sys.stdin.read()
"""


def test_without_isolation_only_what_a_test_has_mapped_is_its_own():
    folder = new_folder()
    watch, holders = leavings.Watch(folder), []
    (folder / "of a run").mkdir()
    for name, mark in (("of a run/segment", "mine"), ("segment", "mine"), ("removed", "mine"),
                       ("foreign", "another's")):
        (folder / name).write_bytes(bytes(mmap.PAGESIZE))
        holders.append(subprocess.Popen([sys.executable, "-c", HOLDER, folder / name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env={**os.environ, leavings.MARK: mark}))
        holders[-1].stdout.readline()
    watch.look()
    for holder in holders:
        holder.communicate()
    (folder / "removed").unlink()
    (folder / "nobody's").touch()
    assert watch.left("mine") == [f"{folder}/of a run", f"{folder}/segment"]
    assert watch.left("mine") == []


if __name__ == "__main__":
    main()
