"""A plugin of pytest: with --cover=FOLDER, each test leaves a folder there, which says what it has executed: gcov's counters of the
C programs, which must be built for that, and the data of coverage.py. scripts/coverage reads them; `make coverage` does all of it.

A process that is killed says nothing, so what only such processes execute counts as not covered.
"""
import json
import os
import pathlib
import tempfile

import pytest

from forked import costs

ROOT = pathlib.Path(__file__).resolve().parent.parent
# Of our Python, what is no test. Child processes of Python begin with this, too.
SETTINGS = """[run]
source = {root}/plots,{root}/bench,{root}/scripts
data_file = {folder}/python
parallel = True
"""
BEGIN = "import coverage\ncoverage.process_startup()\n"


def pytest_addoption(parser):
    parser.getgroup("forked").addoption("--cover", metavar="FOLDER", help="what each test executes; the programs are built with --coverage")


def pytest_configure(config):
    if folder := config.getoption("--cover"):
        config.pluginmanager.register(Covered(pathlib.Path(folder).resolve()))


class Covered:
    def __init__(self, base):
        base.mkdir(parents=True, exist_ok=True)
        self.base, self.python = base, None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        """In the process of the test."""
        import coverage  # only who asks for it needs it
        folder = pathlib.Path(tempfile.mkdtemp(dir=self.base))
        (folder / "sitecustomize.py").write_text(BEGIN, encoding="utf-8")
        (folder / "settings").write_text(SETTINGS.format(root=ROOT, folder=folder), encoding="utf-8")
        (folder / "test.json").write_text(json.dumps(item.nodeid), encoding="utf-8")
        # Counters are in folders with the names of the builds: there is one with another MPI beside it.
        os.environ.update(GCOV_PREFIX=f"{folder}/c", GCOV_PREFIX_STRIP=str(len((ROOT / os.environ["ROLLBENCH_BIN_DIR"]).parent.parts) - 1),
                          COVERAGE_PROCESS_START=f"{folder}/settings", PYTHONPATH=f"{folder}:{os.environ.get('PYTHONPATH', '')}".strip(":"))
        self.python = coverage.Coverage(config_file=f"{folder}/settings", data_suffix=True)
        self.python.start()

    @pytest.hookimpl(trylast=True)
    def pytest_runtest_teardown(self):
        self.python.stop()
        self.python.save()

    def pytest_terminal_summary(self, terminalreporter):
        (self.base / "costs.json").write_text(json.dumps(costs(terminalreporter)), encoding="utf-8")
