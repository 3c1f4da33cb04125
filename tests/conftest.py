"""What pytest has to know: the userland of the programs, the unit programs, and what tests get by name."""
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOT_HERE = 77  # exit status of a unit program that this machine cannot run; its last line says why

pytest.register_assert_rewrite(*(path.stem for path in (ROOT / "tests" / "program").glob("*.py")))  # also what tests import
INSIDE = "ROLLBENCH_ENV" in os.environ  # in the userland of the programs
pytest_plugins = ["forked", "selection", "covered"] if INSIDE else []
if INSIDE:
    os.environ.setdefault("ROLLBENCH_BIN_DIR", str(ROOT / "build" / os.environ["ROLLBENCH_ENV"]))


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    """Elsewhere, begin again in the userland of the programs, as the command does."""
    if not INSIDE:
        config.pluginmanager.getplugin("capturemanager").stop_global_capturing()
        os.execv(ROOT / "scripts" / "with-env", ["with-env", "python3", "-m", "pytest", *config.invocation_params.args])


def pytest_collect_file(parent, file_path):
    """tests/unit_NAME.c is a test: the program of this name in the build folder."""
    if file_path.name.startswith("unit_") and file_path.suffix == ".c":
        return UnitFile.from_parent(parent, path=file_path)
    return None


class UnitFile(pytest.File):
    def collect(self):
        yield UnitProgram.from_parent(self, name=self.path.stem)


class UnitFailed(Exception):
    """The program says itself what is wrong."""


class UnitProgram(pytest.Item):
    def runtest(self):
        program = ROOT / os.environ["ROLLBENCH_BIN_DIR"] / "tests" / self.name
        if not program.exists():
            raise UnitFailed(f"{program} is not built; remedy: make test-programs")
        done = subprocess.run([program], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", check=False)
        print(done.stdout)
        if done.returncode == NOT_HERE:
            pytest.skip(done.stdout.strip().splitlines()[-1])
        if done.returncode != 0:
            raise UnitFailed(f"exit status {done.returncode}")

    def repr_failure(self, excinfo, style=None):
        return str(excinfo.value) if isinstance(excinfo.value, UnitFailed) else super().repr_failure(excinfo, style)

    def reportinfo(self):
        return self.path, None, self.name


@pytest.fixture(autouse=True)
def _folders():
    """Folders of rollbench.new_folder() are removed, and no run may have left anything in them."""
    import rollbench  # after the command line is known, and where its programs are
    yield
    try:
        assert not rollbench.left_in(rollbench.FOLDERS)
    finally:
        rollbench.remove_folders()
