"""A plugin of pytest: which tests run. Long ones are for those who ask for them. --go-on leaves out those that have passed since the checkout last
changed, also in a run that was cut."""
import hashlib
import os
import pathlib

from forked import is_worker

MADE = ("build", "results", "__pycache__")  # by the build, by runs, by Python


def pytest_addoption(parser):
    parser.getgroup("forked").addoption("--go-on", action="store_true",
                                        help="leave out the tests that have passed since the checkout last changed")


def hash_of(checkout):
    """Of the names and the contents of all files but those that are made."""
    whole = hashlib.blake2b(digest_size=16)
    for folder, folders, files in os.walk(checkout):
        folders[:] = sorted(name for name in folders if name not in MADE and not name.startswith("."))
        for path in (pathlib.Path(folder, name) for name in sorted(files)):
            whole.update(bytes(path.relative_to(checkout)) + b"\0" + hashlib.blake2b(path.read_bytes()).digest())
    return whole.hexdigest()


def leave_out(config, items, condition):
    gone = {item for item in items if condition(item)}
    if gone:
        config.hook.pytest_deselected(items=gone)
        items[:] = [item for item in items if item not in gone]


def is_asked_for(config):
    """By a mark, a word or a name."""
    return config.option.markexpr or config.option.keyword or any("::" in name for name in config.args)


def pytest_collection_modifyitems(config, items):
    if not is_asked_for(config):
        leave_out(config, items, lambda item: item.get_closest_marker("long"))


def pytest_configure(config):
    if cache := getattr(config, "cache", None):
        config.pluginmanager.register(Passed(cache.mkdir("passed") / "tests", None if is_worker(config) else hash_of(config.rootpath)))


class Passed:
    """A file with the hash of the checkout, and behind it a line for each test that has ended: "+ NAME" or "- NAME". What ends last counts.
    checkout: None in a worker, which only reads; pytest has seen to it that the file is of this checkout."""

    def __init__(self, path, checkout):
        self.path, self.is_worker, self.well, self.before = path, checkout is None, set(), {}
        lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if self.is_worker or lines[:1] == [checkout]:
            self.before = {line[2:]: line[0] for line in lines[1:]}
        else:
            path.write_text(f"{checkout}\n", encoding="utf-8")

    def pytest_collection_modifyitems(self, config, items):
        if config.getoption("--go-on"):
            leave_out(config, items, lambda item: self.before.get(item.nodeid) == "+")

    def pytest_report_header(self, config):
        passed = list(self.before.values()).count("+")
        return f"--go-on: {passed} tests have passed since the checkout last changed" if config.getoption("--go-on") else None

    def pytest_runtest_logreport(self, report):
        if self.is_worker:
            return
        if report.when == "call" and report.passed:
            self.well.add(report.nodeid)
        if report.failed:
            self.well.discard(report.nodeid)
            self.write("-", report.nodeid)
        elif report.when == "teardown" and report.nodeid in self.well:
            self.write("+", report.nodeid)

    def write(self, sign, name):
        with open(self.path, "a", encoding="utf-8") as file:
            file.write(f"{sign} {name}\n")
