"""The figures of README.md and docs/ are those of the kept records, bit for bit."""
import json
import re
import subprocess
import tarfile

import pytest

from rollbench import ROOT, new_folder

RECORDS = ROOT / "data" / "records"
NOT_OF_RUNS = {"fronts-simulated", "fig6a-simulated", "mcml-saving", "reduction-shapes"}  # of models


def drawn_with(path):
    """The version of matplotlib, which a figure names."""
    return re.search(rb"Software\0Matplotlib version([^,]+),", path.read_bytes())[1]


def test_kept_sweeps_are_whole():
    archives = sorted(RECORDS.glob("*.tar.xz"))
    assert len(archives) >= 6, archives
    for path in archives:
        with tarfile.open(path) as archive:
            files = {member.name: archive.extractfile(member).read() for member in archive}
        name = path.name.removesuffix(".tar.xz")
        files.pop(f"{name}.study.json", None)  # what `rollbench study` says of them
        runs = [one if isinstance(one, str) else one["id"] for one in json.loads(files.pop(f"{name}/sweep.json"))["runs"]]
        assert set(files) == {f"{name}/{run}.json" for run in runs}, (path, set(files) ^ {f"{name}/{run}.json" for run in runs})
        assert all(json.loads(text)["status"] == "ok" for text in files.values()), path


@pytest.mark.long
@pytest.mark.timeout(300)
def test_figures_are_those_of_the_kept_records():
    out = new_folder()
    subprocess.run([ROOT / "scripts" / "readme-figures", out], check=True, stdout=subprocess.DEVNULL)
    found = sorted(out.glob("*.png"))
    assert len(found) >= 8, found
    shown = re.findall(r"\]\((?:docs/)?([\w-]+)\.png\)", "".join(path.read_text() for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))))
    assert {path.stem for path in found} == set(shown) - NOT_OF_RUNS, (found, shown)
    mine, theirs = drawn_with(found[0]), drawn_with(ROOT / "docs" / found[0].name)
    if mine != theirs:
        pytest.skip(f"the figures were drawn with matplotlib {theirs.decode()}, and this is {mine.decode()}")
    different = [path.name for path in found if path.read_bytes() != (ROOT / "docs" / path.name).read_bytes()]
    assert not different, f"{different}: draw them again with make figures-of-the-readme"
