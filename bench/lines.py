"""Lines per concern, counted from the tree (after Table 2 of the message-logging-kernels paper)."""
import sys

import measure  # noqa: F401  (it adds the folder of plots/ to the path)
from plots.tables.code_lines import CONCERNS, FOR_PROTECTION, count, kernel_lines, nowhere


def report_lines(report):
    if nowhere():
        sys.exit(f"plots/tables/code_lines.py: of no concern: {', '.join(nowhere())}")
    report.table("Lines of code by concern, shared by all kernels and policies",
                 ("concern", "lines"), [(k, count(v)) for k, v in CONCERNS.items()])

    def rows():
        for kernel in ("cg", "lulesh", "jacobi", "bfs", "amr"):
            total, own = kernel_lines(kernel)
            yield kernel, total, own, f"{100 * own / total:.0f} %"

    report.table("Lines of a kernel, and those it has for protection "
                 f"({', '.join(FOR_PROTECTION)})",
                 ("kernel", "lines", "for protection", "share"), rows())
