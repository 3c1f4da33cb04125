"""Running plots from tests: a suitable interpreter, a script on a folder of records, code about them."""
import functools
import json
import subprocess
import sys

import gnuplots
from rollbench import ROOT, call


@functools.cache
def python():
    """An interpreter that has matplotlib, as scripts/run-all finds it."""
    look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('matplotlib') is None)"
    for program in (sys.executable, "/usr/bin/python3"):
        if subprocess.run([program, "-c", look], capture_output=True).returncode == 0:
            return program
    raise AssertionError("no python3 here has matplotlib (configs/packages.txt)")


def where(script):
    """Its path in plots/."""
    path, = (ROOT / "plots").glob(f"*/{script}.py")
    return path


def draw(script, results, output, expect=0):
    """The output of the script of that name for that folder of results."""
    done = subprocess.run([python(), where(script), results, output],
                          capture_output=True, text=True)
    assert done.returncode == expect, done
    return done.stdout + done.stderr


class Asked:
    """plots.common.forecasts.Forecasts for functions of tables: the program answers at once."""

    def answer(self, command):
        done = call(*command.split(), "--json")
        assert done.returncode == 0, done
        return json.loads(done.stdout)


def explain(results, expect=0):
    """The recoveries of a sweep beside their forecasts, where tables read them."""
    done = call("explain", "--record", results, "--json")
    assert done.returncode == expect, done
    results.with_name(f"{results.name}.explained.json").write_text(done.stdout, encoding="utf-8")


def figures(folder):
    """Names of the figures in a folder, which holds nothing else. Each has a picture in two forms, its numbers and a script that draws all
    of them with gnuplot, and cites the page on statistics."""
    names = sorted(path.stem for path in folder.glob("*.png"))
    assert sorted(p.name for p in folder.iterdir()) == sorted(f"{name}{end}" for name in names for end in (".data.csv", ".gp", ".pdf", ".png")), folder
    for name in names:
        assert b"docs/statistics.md" in (folder / f"{name}.png").read_bytes(), f"{name}.png does not cite the page on statistics"
        assert b"statistics: docs/statistics.md" in (folder / f"{name}.pdf").read_bytes(), f"{name}.pdf does not cite it"
        assert (folder / f"{name}.data.csv").read_text(encoding="utf-8").count("\n") > 2, f"{name} has no numbers"
        gnuplots.check(folder, name)
    return names


def execute(code, records):
    """Python code about `records`, which can import the modules of plots/."""
    begin = "import json, sys; sys.path.insert(0, sys.argv[1]); records = json.load(sys.stdin); "
    return subprocess.run([python(), "-c", begin + code, ROOT], input=json.dumps(records),
                          capture_output=True, text=True, cwd=ROOT)


def ask(expression, records, imports):
    """The value of an expression about `records`."""
    done = execute(f"{imports}; print(json.dumps({expression}))", records)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)
