#!/usr/bin/env python3
"""usage: rollbench report [--results DIR] [--out DIR]

Make a page (report.html, one file that loads nothing) and a report.pdf from the folders that
`make run-all` or `rollbench sweep` left. Its first page says how the runs ended, what they say
of the papers' claims, what was found beyond them, and what is absent and why. Then come the
findings, a chapter for each paper, and one on runs and machines. Numbers and commands of a
figure are folded away on the page, and are the appendix of the PDF.

  --results DIR   folder of results folders, with the figures in its figures/ (default results)
  --out DIR       where the report goes (default DIR/report of the results)
  --help          this text

exit status: 0 written, whatever the verdict; 2 bad usage, no records, or not writable
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2]))  # the folder of plots/
from plots.common import program
from plots.common.files import put
from plots.report import data


def refuse(text):
    print(f"rollbench report: {text}", file=sys.stderr)
    sys.exit(2)


def parse():
    parser = argparse.ArgumentParser(prog="rollbench report", add_help=False, allow_abbrev=False)
    parser.add_argument("--results", type=pathlib.Path, default=pathlib.Path("results"))
    parser.add_argument("--out", type=pathlib.Path)
    parser.add_argument("--help", "-h", action="store_true")
    args = parser.parse_args()
    if args.help:
        print(__doc__.strip())
        sys.exit(0)
    args.out = args.out or args.results / "report"
    return args


def write(path, content):
    put(path, content)  # whole: a page may be open in a browser
    print(f"report: {path}")


def main():
    args = parse()
    if not args.results.is_dir():
        refuse(f"{args.results}: no such folder; `make run-all` makes it, or name one with --results")
    try:
        experiments = data.experiments(args.results)
    except ValueError as error:
        refuse(error)
    barriers = data.barriers(args.results)
    if not experiments and not barriers and not data.elc_runs(args.results):
        refuse(f"{args.results}: no records in it or in the folders below; run `make run-all` or "
               "`./rollbench sweep FILE.yaml` first")
    program.need("matplotlib", refuse)
    missing = {}  # without these there is less in the report, which says why
    for module in ("reportlab", "yaml"):
        program.need(module, lambda why, module=module: missing.update({module: why}))
    make(args, experiments, barriers, missing.get("reportlab"))


def make(args, experiments, barriers, no_pdf):
    """no_pdf: why there can be none, or None."""
    # Only now: matplotlib takes a second to load, mistakes are told at once.
    from plots.report import contents, machine, page

    args.out.mkdir(parents=True, exist_ok=True)
    picture = machine.draw(experiments, args.out / "machine.png")
    report = contents.Report(args.results, experiments, barriers, picture)
    parts = ("Rollbench report", report.origin(), report.summary(), report.good(), list(report.blocks()))
    write(args.out / "report.html", page.page(*parts).encode())
    if no_pdf:
        print(f"report: no report.pdf: {no_pdf}")
        return
    from plots.report import pdf

    written, pages, places = pdf.document(*parts)
    write(args.out / "report.pdf", written)
    print(f"report: {pages} pages" + (f", from page {places['appendix']} on an appendix" if "appendix" in places else ""))


if __name__ == "__main__":
    try:
        main()
    except OSError as error:
        refuse(f"{error.filename}: {error.strerror}; choose another folder with --out")
