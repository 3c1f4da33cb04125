"""A picture of the machines and of the roles on their cores, from what records say of bindings.

A role is bound to a core, and its record has that core's processing units, by hwloc. Cores that no
role was bound to are only counted: which units they have is in no record.
"""
import io

from plots.common.drawing import matplotlib, plt
from plots.common.files import put
from plots.report.data import bindings

COLUMNS = 8
BOX = dict(boxstyle="round,pad=0,rounding_size=0.08", linewidth=1.2)
LINE, WIDTH, LEAST = 0.3, 2.6, 5.75  # inches


def ranges(numbers):
    """0, 1, 2, 5 -> "0-2 5"; every second one is "0 2 4"."""
    runs = []
    for n in sorted(numbers):
        if runs and n == runs[-1][1] + 1:
            runs[-1][1] = n
        else:
            runs.append([n, n])
    return " ".join(str(a) if a == b else f"{a}-{b}" if b > a + 1 else f"{a} {b}" for a, b in runs)


def cores_of(by_np):
    """{processing units: [line of text]} in the order of their numbers."""
    units = {unit for found in by_np.values() for unit in found}
    bound = sorted(units, key=lambda u: (not u[:1].isdigit(), len(u.split(",")[0].split("-")[0]), u))
    return {unit: [f"np {np}: {ranges(found[unit])}" for np, found in sorted(by_np.items())
                   if unit in found] for unit in bound}


def rounded(axis, x, y, width, height, face, edge):
    axis.add_patch(matplotlib.patches.FancyBboxPatch((x, y), width, height, facecolor=face,
                                                         edgecolor=edge, **BOX))


def draw_host(axis, top, name, host, cores):
    """From `top` downwards; returns where it ends."""
    lines = max(len(text) for text in cores.values()) + 1
    rows = -(-len(cores) // COLUMNS)
    high = LINE * lines + 0.25
    bottom = top - 1.0 - rows * (high + 0.15) - 0.1
    wide = min(len(cores), COLUMNS) * (WIDTH + 0.15) + 0.25
    rounded(axis, 0, bottom, max(wide, LEAST), top - bottom, "#eef1f5", "#5a6475")
    axis.text(0.2, top - 0.2, f"{name}: {host.get('cpu')}", va="top", weight="bold", fontsize=12)
    spare = (host.get("cores") or 0) - len(cores)
    axis.text(0.2, top - 0.48, f"{host.get('cores')} cores, {host.get('pus')} processing units"
              + (f"; {spare} cores had no role" if spare > 0 else ""), va="top", fontsize=10)
    topology = host.get("topology")
    axis.text(0.2, top - 0.72, f"hwloc: {topology}" if topology else "hwloc: in no record", va="top",
              fontsize=8, color="#5a6475")
    for i, (unit, text) in enumerate(cores.items()):
        x, y = 0.2 + i % COLUMNS * (WIDTH + 0.15), top - 1.05 - (i // COLUMNS) * (high + 0.15)
        rounded(axis, x, y - high, WIDTH, high, "#ffffff", "#2f5fa8")
        known = unit[:1].isdigit()
        axis.text(x + 0.12, y - 0.1, f"core with PU {unit}" if known else unit[:24], va="top",
                  fontsize=10, weight="bold", color="#2f5fa8")
        for k, line in enumerate(text):
            axis.text(x + 0.12, y - 0.1 - LINE * (k + 1), line, va="top", fontsize=10)
    return bottom - 0.3, max(wide, LEAST)


def draw(experiments, path):
    """Writes the PNG; returns its path, or None if no record says who was bound where."""
    hosts = bindings([r for e in experiments for r in e.records])
    if not hosts:
        return None
    figure, axis = plt.subplots()
    top, wide = 0.0, 0.0
    for name, (host, by_np) in sorted(hosts.items()):
        top, mine = draw_host(axis, top, name, host, cores_of(by_np))
        wide = max(wide, mine)
    axis.set_xlim(-0.05, wide + 0.05)
    axis.set_ylim(top + 0.2, 0.05)
    axis.set_axis_off()
    axis.set_position((0, 0, 1, 1))
    figure.set_size_inches(wide + 0.1, -top - 0.15)
    png = io.BytesIO()
    figure.savefig(png, dpi=150, format="png")
    put(path, png.getvalue())
    plt.close(figure)
    return path
