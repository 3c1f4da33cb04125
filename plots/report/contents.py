"""The report as a list of blocks: the first page, the findings, a chapter for each paper, and the runs."""
from plots.report import data, overview, papers, runs


class Report:
    """What was counted from the results, once for all chapters."""

    def __init__(self, results, experiments, barriers, machine):
        """machine: a PNG, or None."""
        self.results, self.experiments = results, experiments
        self.barriers, self.machine = barriers, machine
        self.elc, self.drawings = data.elc_runs(results), data.drawings(results)
        self.drawing_of = {str(path): drawn for drawn in self.drawings for path in (drawn.figure, drawn.table) if path}
        self.absent = data.absent({e.name: e.records for e in experiments}, barriers)
        self.items, self.no_items = papers.found(results)
        of_elc = [record for of in self.elc.values() for record in of]
        self.runs = sum(e.planned for e in experiments) + len(of_elc)
        self.ok = sum(len(e.records) - len(e.bad()) for e in experiments) + sum(map(runs.is_right, of_elc))
        self.missing = sum(e.missing() for e in experiments) + of_elc.count(None)
        self.controls = sum(len(e.controls) for e in experiments)
        self.wrong_controls = sum(len(e.wrong_controls()) for e in experiments)

    def good(self):
        return self.ok == self.runs and not self.wrong_controls

    def said_runs(self):
        if not self.runs:
            return "No runs of sweeps are among these results."
        if self.ok == self.runs:
            return f"All of {self.runs} runs are ok."
        left = self.runs - self.ok - self.missing
        return f"{self.ok} of {self.runs} runs are ok" + f", {left} are not" * bool(left) + f", {self.missing} were not made" * bool(self.missing) + "."

    def said_controls(self):
        """Nothing if there are none."""
        if self.wrong_controls:
            return f" {self.wrong_controls} of {self.controls} negative controls did not end as they must."
        return f" All of {self.controls} negative controls ended wrong, as they must." if self.controls else ""

    def summary(self):
        return self.said_runs() + self.said_controls()

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
