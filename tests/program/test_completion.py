"""The completion of bash, asked in bash; zsh loads the same file (docs/setup.md)."""
import re
import subprocess
import sys

from rollbench import COMMAND, ROOT, call, new_folder

DRIVER = """source "$1"
while read -r line; do
	COMP_LINE=${line//_/ } COMP_POINT=${#line}
	_rollbench
	echo "${COMPREPLY[*]}"
done
"""


def printed(name):
    return subprocess.run([sys.executable, ROOT / "scripts" / "manual", COMMAND[0], name], capture_output=True, text=True, timeout=60, check=False)


def complete(*lines):
    """The completions that the shell gets for each line; `_` stands for a blank."""
    folder = new_folder()
    (folder / "mine.yaml").touch()
    (folder / "results").mkdir()
    (folder / ".completion").write_text(printed("completions/rollbench").stdout, encoding="utf-8")
    done = subprocess.run(["bash", "-c", DRIVER, "bash", ".completion"], input="\n".join(lines) + "\n", text=True,
                          capture_output=True, cwd=folder, timeout=30, check=True)
    assert done.stderr == "", done.stderr
    return [set(line.split()) for line in done.stdout.split("\n")[:-1]]


def listed(kind):
    return set(re.findall(r"^  ([a-z]+)", call("list", kind).stdout, re.MULTILINE))


def test_it_knows_what_the_program_knows():
    commands = re.findall(r"^  ([a-z]+)\b", call("--help").stdout, re.MULTILINE)
    assert {"run", "sweep", "list", "doctor"} <= set(commands), commands
    first, policies, phases = complete("rollbench_", "rollbench_run_cg_--policy_", "rollbench_run_cg_--kill_3@4:")
    assert first == {*commands, "--help", "--version"}, first
    assert {word.rstrip(":") for word in policies} == listed("policies") and {"all", "window:"} <= policies, policies
    assert {word.rstrip("+") for word in phases} == listed("phases") and {"start", "op+", "repair+"} <= phases, phases
    for command, offered in zip(commands, complete(*(f"rollbench_{command}_--" for command in commands))):
        options = set(re.findall(r"^  (--[a-z][\w-]*)", call(command, "--help").stdout, re.MULTILINE))
        assert offered >= options, (command, options - offered)


def test_what_it_offers():
    kernels = listed("kernels")
    wanted = {
        "run_": kernels, "explain_": kernels, "torture_--kernel_j": {"jacobi"}, "list_k": {"kernels"}, "nonsense_": set(),
        "store_": {"verify", "merge", "overhead"}, "run_cg_--strategy_": {"repair", "restart"}, "run_cg_--strategy=rep": {"repair"},
        "run_cg_--policy=win": {"window:"}, "run_cg_--kill=3@4:st": {"start"}, "run_cg_--np_": set(),
        "run_lulesh_--bu": {"--buffers"}, "run_cg_--bu": set(), "run_cg_--class_": set(), "torture_cg_--cl": set(),
        "sweep_": {"mine.yaml", "results"}, "sweep_mine.yaml_--results_": {"results"}, "store_verify_r": {"results"},
        "export_--csv_": {"results"}, "run_cg_--json_m": {"mine.yaml"}}
    assert dict(zip(wanted, complete(*(f"rollbench_{line}" for line in wanted)))) == wanted


def test_a_file_that_is_not_made_is_refused():
    done = printed("tcsh")
    assert done.returncode == 2 and "completions/rollbench" in done.stderr and done.stdout == "", done
