"""Maps of methods and scaling, from small simulations: what is no difference, known values, and that all is drawn."""
import random
import re

import pytest

import drawing
from rollbench import ROOT, call, new_folder

from plots.forecast import winners


def test_a_difference_within_the_scatter_is_none():
    r = random.Random(1)
    luck = [100 + 30 * r.random() for _ in range(12)]  # the same failures for all methods
    regular = {"a": luck, "b": [1.01 * x for x in luck], "c": [1.02 * x for x in luck]}
    won = winners.winner(regular)
    assert won.names == ["a"] and abs(won.margin - 0.01) < 1e-12, won
    assert winners.winner({"a": luck, "b": luck}) == (["a", "b"], None)
    assert winners.winner({"a": luck, "b": [x * (1 + 1e-5) for x in luck]}).names == ["a", "b"]  # regular, but too small
    won = winners.winner({"a": luck, "b": list(luck), "c": [2 * x for x in luck]})
    assert sorted(won.names) == ["a", "b"] and abs(won.margin - 1) < 1e-12, won
    few = {"a": luck[:9], "b": [*luck[:2], *(1.5 * x for x in luck[2:9])]}  # seven runs differ: p = 2 / 2^7
    assert len(winners.winner(few).names) == 2
    assert winners.winner({"a": luck[:9], "b": [*luck[:1], *(1.5 * x for x in luck[1:9])]}).names == ["a"]
    noise = [winners.winner({name: [r.gauss(100, 10) for _ in range(10)] for name in "ab"}) for _ in range(200)]
    assert sum(len(won.names) == 1 for won in noise) <= 8, noise  # 1 % of 200, and luck


MAPS = """name: small
steps: 40
work: 1 s
interval: 5
seeds: 9
watts: compute=100W,wait=90W,capped=90W,off=90W
stops: affected
mtbf_node: 1 y
method: global,dataflow,local
runs:
  - {pattern: stencil1d, np: [6, 12], mtbf_node: [2 m, 1 y], bytes: 1 MB, bandwidth: 1 GB/s, latency: 0 s}
  - {pattern: stencil1d, np: [6, 12], log_bandwidth: [100 MB/s, 10 MB/s], method: local, bytes: 1 MB, bandwidth: 1 GB/s, latency: 0 s}
"""


@pytest.mark.long
def test_maps_of_known_cases():
    folder = new_folder()
    (folder / "maps.yaml").write_text(MAPS, encoding="utf-8")
    done = call("simulate", folder / "maps.yaml", "--results", folder / "maps")
    assert done.returncode == 0 and "8 points: 8 simulated" in done.stdout, done
    said = drawing.draw("maps", folder / "maps", folder / "drawn")
    assert drawing.figures(folder / "drawn") == [f"maps-{what}-simulated" for what in ("energy", "time")], said
    time = said[said.index("maps-time"):]
    # Without failures and with a log that takes no time, nothing differs. An iteration takes 1.001 s; two messages of 1 MB are
    # copied at 100 MB/s in 0.02 s, at 10 MB/s in 0.2 s. Roles at the ends copy one and wait for the others.
    assert re.search(r"365 d: 6: \w=\w=\w  12: \w=\w=\w\n", time), time
    for share, percent in (("2 %", 100 * 0.02 / 1.001), ("20 %", 100 * 0.2 / 1.001)):
        shown = f"{percent:.2g}" if percent < 10 else f"{percent:.0f}"
        assert re.search(rf" {share}: 6: [DG]=[DG] {shown} %  12: [DG]=[DG] {shown} %\n", time), (share, shown, time)
    # Every two minutes a node fails, and waiting takes less power than computing: not all roles should compute again.
    energy = said[:said.index("maps-time")]
    assert re.search(r"0.00139 d: .*12: [LD](=[LD])? [\d.]+ %\n", energy), energy
    # If waiting takes as much power as computing (here 125 W against 100 W), computing costs nothing.
    assert "125 W: " in energy and "30 W: " in energy, energy


SCALING = """pattern: stencil1d
steps: 20
interval: 5
bytes: 1 MB
bandwidth: 1 GB/s
latency: 0 s
checkpoint: 1 s
watts: compute=100W,wait=50W,capped=50W,off=0W
seeds: 3
method: global,dataflow,local
together: [np, seed]
runs:
  - {np: [10, 100], seed: [1, 2], work: 10 s, mtbf_node: 1000000 y}
  - {np: [10, 100], seed: [3, 4], work: [100 s, 10 s], mtbf_node: 1 d, together: [np, seed, work]}
  - {np: [10, 100], seed: [5, 6], work: 10 s, mtbf_node: 1 h, method: local, stops: affected, line: [free, own], checkpoint: 0 s}
"""


@pytest.mark.long
def test_scaling_of_known_cases():
    folder = new_folder()
    (folder / "scaling.yaml").write_text(SCALING, encoding="utf-8")
    assert call("simulate", folder / "scaling.yaml", "--results", folder / "scaling").returncode == 0
    said = drawing.draw("scaling", folder / "scaling", folder / "drawn")
    assert drawing.figures(folder / "drawn") == [f"{what}-simulated" for what in ("masking", "scaling")], said
    # 20 iterations of 10.001 s, of which the first needs no earlier message, and 3 checkpoints of 1 s: no failures.
    weak = re.search(r"weak, time of the run / time of the work alone, global rollback: 10: ([\d.]+), 100: ([\d.]+)", said)
    assert weak, said
    for value in weak.groups():
        assert abs(float(value) - (20 * 10.001 + 3) / 200) < 1e-4, weak[0]
    assert "weak, bytes in the logs of all roles, global rollback: 10: 0, 100: 0" in said, said
    assert f"weak, bytes in the logs of all roles, local rollback: 10: {5 * 18 * 10 ** 6:.5g}, 100:" in said, said
    masked = [float(re.search(rf"masking, {line}: .*100: ([\d.]+) of", said)[1]) for line in ("common line", "each role its own checkpoints")]
    assert masked[1] < masked[0], masked


def test_the_files_of_run_all_are_read():
    """Every point of every file that is shipped is checked before the first one is simulated."""
    paths = [p for folder in ("configs", "configs/laptop") for p in (ROOT / folder).glob("simulate-*.yaml")]
    assert len(paths) >= 3
    for path in paths:
        done = call("simulate", path, "--results", "/dev/null/none")
        assert done.returncode == 2 and "/dev/null/none" in done.stderr, (path, done)  # only the folder is refused
