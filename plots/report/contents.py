"""The report as a list of blocks: the first page, the findings, a chapter for each paper, and the runs."""
from plots.common.runs import is_right_control
from plots.report import captions, data, overview, papers, runs


class Report:
    """What the chapters are made from, and what stands on top."""

    def __init__(self, results, experiments, barriers, machine):
        """machine: a PNG, or None."""
        self.results, self.experiments = results, experiments
        self.barriers, self.machine = barriers, machine
        self.elc, self.drawings = data.elc_runs(results), data.drawings(results)
        self.absent = data.absent({e.name: e.records for e in experiments}, barriers)
        self.items, self.no_items = papers.found(results)
        self.runs = sum(e.planned for e in experiments) + sum(map(len, self.elc.values()))
        self.ok = sum(e.count("ok") for e in experiments) + sum(runs.is_right(r) for of in self.elc.values() for r in of)
        controls = [is_right_control(record) for e in experiments for record in e.controls]
        self.controls, self.right_controls = len(controls), sum(controls)

    def good(self):
        return (self.ok, self.right_controls) == (self.runs, self.controls)

    def summary(self):
        if not self.runs:
            return "No runs of sweeps are among these results."
        said = f"All of {self.runs} runs are ok." if self.ok == self.runs else f"{self.ok} of {self.runs} runs are ok. See the table before any figure."
        if self.controls:
            said += f" {self.right_controls} of {self.controls} negative controls ended wrong, as they must."
        return said

    def origin(self):
        """When and where: as the records have it, so that the same records give the same page."""
        records = [r for e in self.experiments for r in e.records] + [*self.barriers.values()]
        names = sorted({str(r.get("host", {}).get("hostname")) for r in records})
        ends = [r["finished_at"] for r in records if r.get("finished_at")]
        until = f", last run {max(ends).replace('T', ' ').replace('Z', ' UTC')}" if ends else ""
        return f"Records of `{self.results}` from {', '.join(names)}{until}"

    def blocks(self):
        yield from overview.first_page(self)
        yield from papers.chapters(self)
        yield from runs.chapter(self)
        yield from runs.again(captions.PAPERS, self.results, self.experiments)
