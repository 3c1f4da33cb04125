"""The model of the epochs (spec/): its small cases, and a proof that its checker can fail."""
import importlib.machinery
import importlib.util
import re
import shutil
import subprocess

import pytest

from rollbench import ROOT, new_folder

SPEC = ROOT / "spec"


def check(*args, program=SPEC / "run"):
    """Run spec/run; returns its exit status and all that it says."""
    if not shutil.which("spin"):
        pytest.skip("spin is not installed")
    done = subprocess.run([program, *args], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=160,
                          check=False)
    return done.returncode, done.stdout + done.stderr


def changed(file, old, new):
    """A copy of spec/ with one text of one file replaced; returns its program."""
    copy = new_folder() / "spec"
    shutil.copytree(SPEC, copy)
    text = (copy / file).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"spec/{file}: '{old}' is there {text.count(old)} times"
    (copy / file).write_text(text.replace(old, new), encoding="utf-8")
    return copy / "run"


def cases():
    loader = importlib.machinery.SourceFileLoader("spec_run", str(SPEC / "run"))
    spec = importlib.util.spec_from_loader("spec_run", loader)
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module.CASES


@pytest.mark.long
@pytest.mark.timeout(180)
def test_the_small_cases():
    status, said = check("--small")
    small = [case.name for case in cases() if case.small]
    assert status == 0, said
    assert f"{len(small)} cases as expected, 0 not" in said, said
    assert all(re.search(rf"^ok +{name} ", said, re.MULTILINE) for name in small), said


@pytest.mark.long
@pytest.mark.timeout(180)
def test_what_is_not_as_expected_fails():
    for file, old, new, case, words in (
            ("log.pml", "hole[r] = front[r] + 1\n#endif", "skip\n#endif", "reach-chain", "spin must find an error"),
            ("epochs.pml", ":: front[role] >= resume[DST(role)] ->", ":: true ->", "one-death", "it must hold"),
            ("run", "DEPTH = 20000", "DEPTH = 40", "one-death", "max search depth too small"),
            ("run", "states=20_000", "states=900_000", "one-death", "less than 900000"),
            ("mpi.pml", "inline hear()", "inline hear(", "results-late", "spin: ")):
        status, said = check(case, program=changed(file, old, new))
        assert status == 1 and words in said and "0 cases as expected, 1 not" in said, (file, new, status, said)
    status, said = check("three-roles", "--seconds", "1")
    assert status == 1 and "took too long" in said, said
    status, said = check("no-such-case")
    assert status == 2 and "no-such-case: no such case" in said, said


def test_errors_have_the_sizes_of_what_holds():
    """Otherwise an error might come from the sizes and not from the missing rule."""
    holds = [case for case in cases() if not case.error]
    assert all(case.states > 0 for case in holds)
    for case in cases():
        if case.error:
            assert any(h.sizes[:2] == case.sizes[:2] and h.sizes[2] >= case.sizes[2] for h in holds), case.name


def test_the_table_names_all_cases():
    text = (SPEC / "README.md").read_text(encoding="utf-8").split("\n## Cases\n")[1]
    named = re.findall(r"^\| `([a-z-]+)` \|", text, re.MULTILINE)
    assert sorted(named) == sorted(case.name for case in cases()), set(named) ^ {case.name for case in cases()}
