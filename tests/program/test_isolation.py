"""The plugin that gives each test a process: what a test leaves is noticed, what other jobs do is not held against it, and nothing
of the tests outlives them."""
import contextlib
import mmap
import os
import shutil
import signal
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as xml

import pytest

import elc_runs
import isolation
import leavings
import selection
from rollbench import COMMAND, ROOT, descendants_named, door, new_folder, wait_until

NEEDED = "import os, pathlib, signal, subprocess\nimport pytest\nimport forked, leavings\nforked.LATE, leavings.PATIENCE = 1, 0.5\n"


def pytest_of(folder, tests, *options):
    """Begin pytest with these tests only; results are in folder/results.xml."""
    (folder / "test_it.py").write_text(NEEDED + textwrap.dedent(tests), encoding="utf-8")
    return subprocess.Popen([sys.executable, "-m", "pytest", "-c", ROOT / "pytest.ini", "-p", "forked", "-p", "selection", "-o", f"cache_dir={folder}/cache",
                             f"--junitxml={folder}/results.xml", *options, folder / "test_it.py"], text=True, cwd=folder,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True,
                            env={**os.environ, "PYTHONPATH": str(ROOT / "tests")})


def outcomes(folder):
    """{name of a test: (passed, failed or skipped; what pytest says to that)}."""
    found = {}
    for case in xml.parse(folder / "results.xml").iter("testcase"):
        wrong = [child for child in case if child.tag in ("failure", "error", "skipped")]
        status = "passed" if not wrong else "skipped" if wrong[0].tag == "skipped" else "failed"
        found[case.get("name").removeprefix("test_")] = status, "".join(case.itertext()) + str([child.attrib for child in wrong])
    return found


def isolated_or_skipped():
    try:
        subprocess.run(["true"], check=True, preexec_fn=lambda: isolation.begin(str(ROOT)))
    except subprocess.SubprocessError:
        pytest.skip("this machine permits no mount namespaces: run it as root, or allow user namespaces")


def test_what_a_test_leaves_is_noticed():
    isolated_or_skipped()
    folder = new_folder()
    output, _ = pytest_of(folder, """
        SHARED, MINE = pathlib.Path("/dev/shm"), pathlib.Path(os.environ["TMPDIR"])

        def test_nothing():
            assert not [*SHARED.iterdir()]
            (SHARED / "1").touch()
            (SHARED / "1").unlink()

        def test_memory():
            (SHARED / "segment").touch()

        def test_folder():
            (SHARED / "rollbench-1").mkdir()
            (SHARED / "rollbench-1" / "segment").touch()

        def test_file():
            pathlib.Path(os.environ["TMPDIR"], "file").touch()

        def test_process():
            subprocess.Popen(["sleep", "100"], start_new_session=True)

        def test_forked():
            if os.fork() == 0:
                signal.pause()
        """).communicate()
    found = outcomes(folder)
    assert len(found) == 6 and output.endswith("\n1 passed, 5 failed\n"), output
    assert found["nothing"][0] == "passed", output
    for name, words in (("memory", "it left behind: segment in /dev/shm"), ("process", "sleep 100"), ("forked", "left processes behind"),
                        ("folder", "it left behind: rollbench-1 with segment in /dev/shm"),
                        ("file", "it left behind: file in its folder for temporary files")):
        assert found[name][0] == "failed" and words in found[name][1], (name, output)


def test_how_tests_end():
    """Wrong, at its deadline, after its deadline, dead, not here: each is told, and the others go on."""
    folder = new_folder()
    output, _ = pytest_of(folder, """
        def test_good():
            print("note: seen")

        def test_wrong():
            assert 1 + 1 == 3

        @pytest.mark.timeout(0.5)
        def test_slow():
            subprocess.run(["sleep", "100"])

        @pytest.mark.timeout(0.5)
        def test_deaf():
            signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGALRM, signal.SIGTERM})
            while True:
                signal.pause()

        def test_dead():
            os.kill(os.getpid(), signal.SIGKILL)

        def test_gone():
            os._exit(3)

        def test_not_here():
            pytest.skip("no such thing here")

        @pytest.fixture
        def broken():
            yield
            raise ValueError("while cleaning up")

        def test_broken(broken):
            pass
        """, "-n", "2").communicate()
    found = outcomes(folder)
    assert output.endswith("\n1 passed, 6 failed\n"), output
    assert found["good"][0] == "passed" and "note: seen" in output and "no such thing here" in output, output
    for name, words in (("wrong", "(1 + 1) == 3"), ("slow", "Timeout >0.5s"), ("deaf", "it is alive 1 s after its deadline of 0.5 s"),
                        ("dead", "signal SIGKILL and no report"), ("gone", "exit status 3 and no report"), ("broken", "while cleaning up")):
        assert found[name][0] == "failed" and words in found[name][1], (name, found.get(name), output)
    assert found["not_here"][0] == "skipped"


def test_alone_is_alone():
    folder = new_folder()
    output, _ = pytest_of(folder, f"""
        RUNNING = pathlib.Path("{folder}")

        def run(kind):
            mine = RUNNING / f"{{kind}}.{{os.getpid()}}.running"
            mine.touch()
            for _ in range(10):
                others = [path for path in RUNNING.glob("*.running") if path != mine]
                assert not [path for path in others if "alone" in (kind, path.name.split(".")[0])], others
                subprocess.run(["true"])
            mine.unlink()

        @pytest.mark.alone
        @pytest.mark.parametrize("n", range(2))
        def test_alone(n):
            assert len(list(RUNNING.glob("done.*"))) == 6, "it comes last"
            run("alone")

        @pytest.mark.parametrize("n", range(6))
        def test_others(n):
            run("beside")
            (RUNNING / f"done.{{n}}").touch()
        """, "-n", "3").communicate()
    assert output.endswith("\n8 passed, 0 failed\n"), output


def test_nothing_outlives_pytest():
    """Ctrl-C at a terminal reaches pytest and its workers; other signals reach pytest only."""
    for options, send, number in (((), os.killpg, signal.SIGINT), (("-n", "2"), os.killpg, signal.SIGINT),
                                  (("-n", "2"), os.kill, signal.SIGTERM), ((), os.kill, signal.SIGHUP)):
        folder = new_folder()
        tests = pytest_of(folder, f"""
            def test_that_waits():
                subprocess.run(["sh", "-c", "touch $0/begun; sleep 100; :", "{folder}"])
            """, *options)
        wait_until(lambda: (folder / "begun").exists() or tests.poll() is not None)
        send(tests.pid, number)
        output, _ = tests.communicate()
        assert tests.returncode == 2 and "passed, " not in output, (options, number, output)
        assert not descendants_named(folder), (options, number, output)


def test_a_signal_that_comes_while_a_test_is_forked():
    tests = pytest_of(new_folder(), """
        os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGTERM))

        def test_that_waits():
            signal.pause()
        """)
    output, _ = tests.communicate()
    assert tests.returncode == 2 and "passed, " not in output, output


def test_a_run_that_was_cut_goes_on():
    folder = new_folder()
    tests = f"""
        @pytest.mark.parametrize("n", range(3))
        def test_good(n):
            pass

        def test_bad():
            assert pathlib.Path("{folder}", "right").exists()

        def test_not_here():
            pytest.skip("no such thing here")

        def test_that_waits():
            pathlib.Path("{folder}", "begun").touch()
            if not pathlib.Path("{folder}", "right").exists():
                signal.pause()
        """
    cut = pytest_of(folder, tests)
    wait_until(lambda: (folder / "begun").exists() or cut.poll() is not None)
    cut.terminate()
    cut.communicate()
    (folder / "right").touch()
    for options, end in ((("--go-on", "-n", "2"), "\n2 passed, 0 failed\n"), (("--go-on",), " deselected in "), ((), "\n5 passed, 0 failed\n")):
        output, _ = pytest_of(folder, tests, *options).communicate()
        assert end in output, (options, output)
    assert "--go-on: 5 tests have passed" in pytest_of(folder, tests, "--go-on").communicate()[0]


def test_another_checkout_begins_anew():
    folder = new_folder()
    (folder / "build").mkdir()
    (folder / "a").write_text("1", encoding="utf-8")
    whole = selection.hash_of(folder)
    (folder / "build" / "made").write_text("1", encoding="utf-8")
    assert selection.hash_of(folder) == whole
    file = folder / "build" / "passed"
    selection.Passed(file, whole).write("+", "one")
    assert selection.Passed(file, whole).before == {"one": "+"} == selection.Passed(file, None).before
    (folder / "a").rename(folder / "b")
    assert selection.hash_of(folder) != whole and selection.Passed(file, selection.hash_of(folder)).before == {}


def test_of_the_checkout_only_the_build_can_be_written():
    isolated_or_skipped()
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
    own = [[*map(str, argv)] for argv in (elc_runs.command(2, elc_runs.PAPERS / "neurons", "--steps", 10),
                                          [*COMMAND, "run", "jacobi", "--grid", "16", "--steps", "4", "--np", "2"])]
    doors = {name: door(folder / name) for name in ("first", "second", "gone")}
    tests = pytest_of(folder, f"""
        def test_beside():
            for tell, wait_for, command in (("begun", "first", {own[0]}), ("one", "second", {own[1]}), ("two", "gone", ["true"])):
                pathlib.Path("{folder}", tell).touch()
                with open("{folder}/" + wait_for, "rb", buffering=0) as door:
                    door.read(1)
                subprocess.run(command, check=True)
        """, *options)
    stay = set()
    try:
        for number, before, here, done in ((signal.SIGTERM, "begun", "first", "one"),
                                           (signal.SIGKILL, "one", "second", "two")):
            wait_until(lambda: (folder / before).exists() or tests.poll() is not None)
            foreign = Foreign(folder)
            doors[here].write(b"1")
            wait_until(lambda: (folder / done).exists() or tests.poll() is not None)
            foreign.end(number)
            stay |= {path for path in foreign.segments if path.exists()}
        assert stay, "a job that is killed leaves no segment, so there is nothing to be mistaken"
        doors["gone"].write(b"1")
        output, _ = tests.communicate()
    finally:
        for path in stay:
            path.unlink()
    return output


def test_other_jobs_are_not_held_against_a_test():
    for options in (("-n", "1"), ("--no-isolation",)):
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
                       ("foreign", "mine, not")):
        (folder / name).write_bytes(bytes(mmap.PAGESIZE))
        holders.append(subprocess.Popen([sys.executable, "-c", HOLDER, folder / name], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, env={**os.environ, leavings.MARK: mark}))
        holders[-1].stdout.readline()
    watch.look(leavings.begun_by("mine", None))
    for holder in holders:
        holder.communicate()
    (folder / "removed").unlink()
    (folder / "nobody's").touch()
    assert watch.left() == [f"{folder}/of a run", f"{folder}/segment"]
