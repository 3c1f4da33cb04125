"""A plugin of pytest: each test is a forked process with a session, cores, a folder for temporary files and, where the machine
permits it, a mount namespace of its own (isolation.py).

A test fails if it outlives its deadline (pytest-timeout), and if it leaves something behind when it ends: a process, a file in
its folder for temporary files, shared memory. In its mount namespace it cannot write to the checkout. Where there is none, the
header says why; then files in the checkout are not looked for, and shared memory only if processes of the test have mapped it.

With -n, each worker has cores of its own, or shares one core with others: jobs that share more cores than one are slow, since
the ranks of a job then seldom run at the same time. Tests marked alone come last, one at a time, and have all cores.
"""
import collections
import contextlib
import fcntl
import itertools
import math
import os
import pathlib
import pickle
import select
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback

import pytest
import pytest_timeout
from _pytest import runner

import isolation
import leavings

ROOT = pathlib.Path(__file__).resolve().parent.parent
BASE = "ROLLBENCH_TEST_BASE"  # in the environment: the folder of this run of the tests
ISOLATED = "ROLLBENCH_TEST_ISOLATED"  # in the environment: have tests mount namespaces?
ENDS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)  # what ends pytest
LATE = 30  # seconds after the deadline: by then a test has ended itself, or it is killed
SLOWEST = 10  # are named at the end
LIMIT = pytest.StashKey()  # of an item: the settings of its deadline
BEGIN = pytest.StashKey()  # of the configuration: when it was there


def pytest_addoption(parser):
    group = parser.getgroup("forked", "a process for each test")
    group.addoption("--keep", action="store_true", help="keep the folders of tests that fail")
    group.addoption("--no-isolation", action="store_true", help="as on a machine without mount namespaces")


def is_worker(config):
    return hasattr(config, "workerinput")


def enter(memory):
    """The mount namespace of a test. Of the checkout it may write to the build's folder, and to that of this run if it lies there."""
    isolation.enter(memory, str(ROOT), [path for path in (str(ROOT / "build"), os.environ[BASE]) if os.path.isdir(path) and
                                        pathlib.Path(path).is_relative_to(ROOT)])


def why_not_isolated(config):
    """Enter the mount namespace in which those of the tests are made. Returns why it cannot be, or ""."""
    if config.getoption("--no-isolation"):
        return "--no-isolation is given"
    try:
        isolation.begin(str(ROOT))
    except OSError as error:
        return f"this machine permits no mount namespaces ({error})"
    memory, pid = isolation.memory_for("tried"), os.fork()
    if pid == 0:
        with contextlib.suppress(BaseException):
            enter(memory)
            os._exit(0)
        os._exit(1)
    status = os.waitpid(pid, 0)[1]
    os.rmdir(memory)
    return "" if status == 0 else "this machine permits no mount namespaces inside another"


def end(number, _):
    raise KeyboardInterrupt(signal.Signals(number).name)


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    for number in (signal.SIGTERM, signal.SIGHUP):
        if threading.current_thread() is threading.main_thread() and signal.getsignal(number) != signal.SIG_IGN:
            signal.signal(number, end)  # nohup is respected
    config.stash[BEGIN] = time.monotonic()
    if is_worker(config) or config.option.usepdb:
        return
    base = leavings.make_base()
    config.add_cleanup(lambda: leavings.remove_base(base, config.getoption("--keep")))
    os.environ.update(leavings.shared_folders(base), ROLLBENCH_NO_ALLOCATION="1", **{BASE: base})
    config.why_not_isolated = why_not_isolated(config)
    os.environ[ISOLATED] = "" if config.why_not_isolated else "1"


def pytest_report_header(config):
    lines = []
    if why := getattr(config, "why_not_isolated", None):
        lines.append(f"note: tests share {isolation.SHARED_MEMORY} with each other and with other jobs, since {why}; of what they leave there, "
                     "only mapped files are noticed")
    # With the progress in percent, this says how long it will take.
    if took := hasattr(config, "cache") and config.cache.get("forked/took", None):
        lines.append(f"the last time: {took[0]} tests in {took[1]:.0f} s")
    return lines


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.get_closest_marker("alone") is not None)


@pytest.hookimpl(tryfirst=True)
def pytest_timeout_set_timer(item, settings):
    """The process of the test sets it, once it is there."""
    if item.config.option.usepdb:
        return None
    item.stash[LIMIT] = settings
    return True


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item, nextitem):
    if item.config.option.usepdb:
        return None  # a debugger needs the terminal
    item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
    for report in reports_of(item):
        item.ihook.pytest_runtest_logreport(report=report)
    item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
    return True


def cores_of(worker, workers):
    """The cores of this process in as many parts as there are workers; single cores if there are no more."""
    cores = sorted(os.sched_getaffinity(0))
    parts = min(workers, len(cores))
    part = worker % parts
    return set(cores[part * len(cores) // parts:(part + 1) * len(cores) // parts])


@contextlib.contextmanager
def turn(item):
    """With the cores that the test has: a test that is alone waits until no other runs."""
    alone = item.get_closest_marker("alone")
    with open(os.environ[BASE] + "/turn", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX if alone else fcntl.LOCK_SH)
        yield os.sched_getaffinity(0) if alone else cores_of(int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]),
                                                             int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1")))


NUMBERS = itertools.count(1)


class Apart:
    """The process of one test, and what is its own. Its folder is also the mark of all processes that it begins."""

    def __init__(self, item):
        name = f"{os.environ.get('PYTEST_XDIST_WORKER', 'gw')[2:]}-{next(NUMBERS)}"
        self.item, self.folder, self.answer = item, f"{os.environ[BASE]}/{name}", f"{os.environ[BASE]}/{name}.reports"
        os.mkdir(self.folder)
        self.memory = isolation.memory_for(name) if os.environ[ISOLATED] else None
        self.watch = leavings.Watch()
        self.pid, self.status, self.cpu = None, None, 0.0

    def become(self, cores, mask):
        """In the process of the test."""
        os.setsid()
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)  # workers of xdist ignore it
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.sched_setaffinity(0, cores)
        for name in [name for name in os.environ if name.startswith("PYTEST_XDIST_")]:
            del os.environ[name]  # a test may begin a pytest of its own
        os.environ.update({leavings.MARK: self.folder, "TMPDIR": self.folder, "PYTHONDONTWRITEBYTECODE": "1"})
        tempfile.tempdir = self.folder
        os.chdir(ROOT)
        if self.memory:
            enter(self.memory)
        if LIMIT in self.item.stash:
            pytest_timeout.pytest_timeout_set_timer(self.item, self.item.stash[LIMIT])

    def test(self, cores, mask):
        """Run the test and write its reports. Does not return."""
        try:
            self.become(cores, mask)
            config = self.item.config
            told = [config.hook.pytest_report_to_serializable(config=config, report=report)
                    for report in runner.runtestprotocol(self.item, log=False, nextitem=None)]
            pathlib.Path(self.answer).write_bytes(pickle.dumps(told))
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        except BaseException:  # whatever it is, this process is no second pytest
            traceback.print_exc()
            sys.stderr.flush()
            os._exit(1)

    def alive(self):
        return leavings.begun_by(self.folder, self.pid)

    def ended(self, seconds):
        """Wait for the process; is it no more?"""
        until = time.monotonic() + seconds
        with contextlib.closing(os.fdopen(os.pidfd_open(self.pid))) as handle:
            while True:
                left = max(0, until - time.monotonic())
                if select.select([handle], [], [], left if self.memory else min(0.2, left))[0]:
                    return True
                if not self.memory:
                    self.watch.look(self.alive())
                if left == 0:
                    return False

    def wait(self, mask):
        """With this mask of signals. Returns what is wrong with how it ended, in words. All that it has begun is ended."""
        limit = self.item.stash[LIMIT].timeout if LIMIT in self.item.stash else math.inf
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            if not self.ended(min(limit + LATE, threading.TIMEOUT_MAX)):
                return [f"it is alive {LATE} s after its deadline of {limit:g} s:{leavings.listed(self.alive())}"]
            left = leavings.lingering(self.folder, self.pid)
            return [f"it ended, but left processes behind:{leavings.listed(left)}"] if left else []
        finally:
            self.finish()

    def finish(self):
        """End all that is alive, politely first, so that it can clean up. Until then nobody else has the number of the process."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            alive = self.alive()
            if not alive:
                break
            for pid in alive:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, number)
            leavings.lingering(self.folder, self.pid)
        _, self.status, used = os.wait4(self.pid, 0)
        self.cpu = used.ru_utime + used.ru_stime

    def left(self):
        """What it has left behind, in words."""
        found = leavings.files_in(self.folder, "its folder for temporary files")
        found += leavings.files_in(self.memory, isolation.SHARED_MEMORY) if self.memory else self.watch.left()
        return [f"it left behind: {name}" for name in found]

    def reports(self):
        """Those that it has written; without any, one that says how it ended."""
        config = self.item.config
        with contextlib.suppress(OSError, EOFError, pickle.UnpicklingError):
            return [config.hook.pytest_report_from_serializable(config=config, data=data)
                    for data in pickle.loads(pathlib.Path(self.answer).read_bytes())]
        status = os.waitstatus_to_exitcode(self.status)
        how = f"signal {signal.Signals(-status).name}" if status < 0 else f"exit status {status}"
        call = runner.CallInfo.from_call(lambda: None, "call")
        report = pytest.TestReport.from_item_and_call(self.item, call)
        fail(report, [f"its process ended with {how} and no report"])
        return [report]

    def remove(self, keep):
        if self.memory:
            shutil.rmtree(self.memory)
        if not keep:
            shutil.rmtree(self.folder)
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.answer)


def fail(report, words):
    """For these reasons, too."""
    if report.outcome != "failed":
        report.outcome, report.longrepr = "failed", "\n".join(words)
    elif isinstance(report.longrepr, str):
        report.longrepr = "\n".join([*words, report.longrepr])
    else:
        report.sections.append(("how it ended", "\n".join(words)))


def reports_of(item):
    """Run a test in a process of its own."""
    with turn(item) as cores:
        apart = Apart(item)
        sys.stdout.flush()
        sys.stderr.flush()
        # Not before wait(), which also ends the test.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, ENDS)
        apart.pid = os.fork()
        if apart.pid == 0:
            apart.test(cores, mask)
        keep = item.config.getoption("--keep")
        try:
            wrong = apart.wait(mask) + apart.left()
            reports = apart.reports()
            body = next((report for report in reports if report.when == "call"), reports[-1])
            if wrong:
                fail(body, wrong)
            failed = any(report.failed for report in reports)
            if failed and keep:
                body.sections.append(("kept", apart.folder))
            keep = keep and failed
        finally:
            apart.remove(keep)
    reports[-1].user_properties.append(("cpu_s", round(apart.cpu, 2)))  # junitxml takes those of the last one
    return reports


def costs(reporter):
    """{test: CPU seconds}"""
    return collections.Counter({report.nodeid: dict(report.user_properties)["cpu_s"] for reports in reporter.stats.values() for report in reports
                                if "cpu_s" in dict(getattr(report, "user_properties", ()))})


def pytest_terminal_summary(terminalreporter, config):
    """What tests note, and what they cost."""
    cost = costs(terminalreporter)
    if not cost:
        return
    terminalreporter.section("notes and costs")
    for report in terminalreporter.stats.get("passed", ()):
        for line in report.capstdout.splitlines():
            if line.startswith("note: "):
                terminalreporter.line(f"{report.nodeid}: {line}")
    for name, cpu in cost.most_common(SLOWEST):
        terminalreporter.line(f"CPU {cpu:.1f} s: {name}")
    terminalreporter.line(f"{time.monotonic() - config.stash[BEGIN]:.0f} s in all, CPU {sum(cost.values()):.0f} s in tests")


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_sessionfinish(session, exitstatus):
    """The last line. A test of which any part failed has failed."""
    yield
    config = session.config
    reporter = config.pluginmanager.getplugin("terminalreporter")
    if not reporter or config.option.collectonly or exitstatus not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        return
    passed, failed, broken = ({report.nodeid for report in reporter.stats.get(how, ())} for how in ("passed", "failed", "error"))
    if hasattr(config, "cache"):
        config.cache.set("forked/took", [len(costs(reporter)), time.monotonic() - config.stash[BEGIN]])
    reporter.write_line(f"{len(passed - failed - broken)} passed, {len(failed | broken)} failed")
