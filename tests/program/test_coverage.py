"""scripts/coverage: which lines of C were executed, and which by one test only."""
import json
import os
import subprocess

from rollbench import ROOT, new_folder

MAIN = """#include "base/local_name.h"
int main(int argc, char **argv)
{
	struct sockaddr_un address;

	return argc < 2 || local_name(&address, "%s", argv[1]) == 0;
}
"""
CUT = "\t\tlength = room - 1;"  # is executed if the name is too long


def coverage(*args):
    done = subprocess.run([ROOT / "scripts/coverage", *args], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout, done.stderr


def test_lines_that_only_one_test_executes():
    folder = new_folder()
    build, data = folder / "build", folder / "data"
    (build / "base").mkdir(parents=True)
    (build / "main.c").write_text(MAIN, encoding="utf-8")
    compiler = ["cc", "-D_GNU_SOURCE", "-I.", "--coverage"]
    subprocess.run([*compiler, "-c", "base/local_name.c", "-o", build / "base/local_name.o"], cwd=ROOT, check=True)
    subprocess.run([*compiler, build / "main.c", build / "base/local_name.o", "-o", build / "main"], cwd=ROOT, check=True)
    for test, name in (("short", "a"), ("again", "b"), ("long", 200 * "c")):
        (data / test).mkdir(parents=True)
        (data / test / "test.json").write_text(json.dumps(test), encoding="utf-8")
        subprocess.run([build / "main", name], check=True,
                       env={**os.environ, "GCOV_PREFIX": f"{data}/{test}/c", "GCOV_PREFIX_STRIP": str(len(folder.parts) - 1)})
    status, said, complaint = coverage(data, build, "--json", folder / "lines.json", "--alone")
    assert status == 0, complaint
    assert {line.split()[-1]: int(line.split()[1]) for line in said.splitlines()[-3:]} == {"short": 0, "again": 0, "long": 1}, said
    lines = json.loads((folder / "lines.json").read_text(encoding="utf-8"))["base/local_name.c"]
    cut = (ROOT / "base/local_name.c").read_text(encoding="utf-8").split("\n").index(CUT) + 1
    assert cut in lines["executed"] and not lines["not"], lines
    (data / "long/test.json").unlink()
    assert coverage(data, build, "--json", folder / "lines.json")[0] == 0
    assert json.loads((folder / "lines.json").read_text(encoding="utf-8"))["base/local_name.c"]["not"] == [cut]


def test_without_data_it_says_what_to_do():
    status, _, complaint = coverage(new_folder(), new_folder())
    assert status == 1 and "remedy: make coverage" in complaint, complaint
