"""The report in a real browser, where there is one: as wide as a phone and as a desk, light and dark."""
import os

import pytest

import browser
import drawing
from report_results import mixed, png, record, report_of, tiny
from rollbench import call

PHONE = 390
DESK = 1280
CASES = [(width, dark) for width in (PHONE, DESK) for dark in (False, True)]
LEAST = 4.5  # contrast: WCAG 2 AA, for text of any size
KINDS = {"p", "summary", "figcaption", "caption", "td", "th", "pre", "a", "dt", "dd", "heading", "footer", "from", "range",
         "good", "bad", "warn"}
DOT = "/dot.png"
LONG = "/as/long/as/paths/may/be" * 5  # without a place to break the line
GREY = "{ color: #777 !important; background: #999 !important }"


def faults(found, dark):
    """What is wrong with a page: {fault: what was measured}."""
    assert found["dark"] == dark, "the browser was not switched"
    light = found["luminance"]
    checks = {
        "sideways": found["sideways"] > 0 and found["sideways"],
        "sideways if enlarged": found["sideways_enlarged"] > max(0, found["sideways"]),
        "not enlarged": found["inner"] == PHONE and [e for e in found["enlarged"] if e[1] <= e[0]],
        "not of the scheme": (light > 0.1 if dark else light < 0.8) and light,
        "hard to read": {kind: text for kind, text in found["texts"].items() if text["contrast"] < LEAST},
        "loaded": found["loaded"],
        "errors": found["errors"],
        "not decoded": [n for n, decoded in enumerate(found["images"]) if not decoded]}
    return {fault: what for fault, what in checks.items() if what}


def look(program, pages, more=None):
    """{(page's name, width, dark): its measures} in all cases."""
    return {(*key, dark): found for dark in (False, True)
            for key, found in browser.measure(program, pages, (PHONE, DESK), dark, more).items()}


def rich():
    """A report on runs with every kind of end, with long words, real figures and an outdated one."""
    top = mixed(record("all", "2@9:start", "hang", message=LONG))
    done = call(*tiny(top))
    assert done.returncode == 0, done
    for script in ("fig6_iterations", "fig7_time"):
        drawing.draw(script, top / "tiny", top / "figures" / "tiny")
    drawn = top / "figures" / LONG.replace("/", "") / "fig6-iterations.png"
    png(drawn, f"plots/figures/fig6_iterations.py {top}/made-up {drawn.parent}")
    os.utime(drawn, (1, 1))
    return report_of(top)


@pytest.mark.timeout(240)  # two starts of a browser, perhaps beside other tests
def test_a_report_suits_phone_and_desk_light_and_dark():
    program = browser.find()
    if not program:
        return
    page = rich()
    assert page.count('<meta name="viewport" content="width=device-width') == 1, "or phones lay it out wide"
    for case, found in look(program, {"report": page}).items():
        assert not faults(found, case[-1]), (case, faults(found, case[-1]))
        assert set(found["texts"]) >= KINDS, KINDS - set(found["texts"])
        assert len(found["images"]) == 4, "three figures, and the machine"
        assert found["closed"] == found["folds"] == 7, "of each figure, how long it took, what was run, what was absent, parts of recoveries"


def put(page, before, what):
    assert page.count(before) == 1, before
    return page.replace(before, what + before)


def styled(page, rule):
    return put(page, "</head>", f"<style>{rule}</style>")


def holding(page, what):
    return put(page, "</main>", what)


def lawless(page):
    """The page without its policy, which forbids scripts and loading anything."""
    assert page.count("Content-Security-Policy") == 1
    return page.replace("Content-Security-Policy", "x-none")


def broken(page):
    """{name: (text, its faults, in which cases)}."""
    phone, dark = [c for c in CASES if c[0] == PHONE], [c for c in CASES if c[1]]
    image, script = f'<img src="{DOT}" alt="-">', "<script>throw new Error('mine')</script>"
    return {
        "whole": (page, set(), CASES),
        "wide": (holding(page, '<div style="width: 2000px">-</div>'), {"sideways"}, CASES),
        "a bit wide": (holding(page, f'<div style="width: {PHONE}px">-</div>'), {"sideways"}, phone),
        "wide if enlarged": (styled(page, ".paper { overflow: visible !important }"),
                             {"sideways if enlarged"}, phone),
        "never enlarged": (styled(page, ".paper img { width: auto !important; max-width: 100% !important }"),
                           {"not enlarged"}, phone),
        "always light": (page.replace("prefers-color-scheme: dark", "width: 0"), {"not of the scheme"}, dark),
        "grey on grey": (styled(page, f"* {GREY}"), {"hard to read", "not of the scheme"}, CASES),
        "one grey on grey": (holding(page, '<p style="color: #777; background: #999">-</p>'),
                             {"hard to read"}, CASES),
        "dark in the dark": (styled(page, "body { color: #1c2330 }"), {"hard to read"}, dark),
        "half seen": (holding(page, '<p style="opacity: .3">-</p>'), {"hard to read"}, CASES),
        "over a picture": (holding(page, '<p style="background: linear-gradient(#000, #000)">-</p>'),
                           {"hard to read"}, CASES),
        "may not load": (holding(page, image), {"errors", "not decoded"}, CASES),
        # An image may come out of a cache, a frame's page does not.
        "loads": (lawless(holding(page, f'{image}<iframe src="{DOT}"></iframe>')), {"loaded"}, CASES),
        "may not have scripts": (holding(page, script), {"errors"}, CASES),
        "a script's error": (lawless(holding(page, script)), {"errors"}, CASES),
        "no image": (holding(page, '<img src="data:image/png;base64,AAAA" alt="-">'), {"not decoded"}, CASES),
    }


@pytest.mark.timeout(240)  # two starts of a browser, perhaps beside other tests
def test_pages_that_are_broken_are_told():
    """Each check finds its fault in the cases that have it, and finds nothing else."""
    program = browser.find()
    if not program:
        return
    top = mixed()
    png(top / "figures" / "one.png", "x.py a b")
    dot = (top / "figures" / "one.png").read_bytes()
    pages = broken(report_of(top))
    seen = look(program, {name: text for name, (text, *_) in pages.items()}, {DOT: ("image/png", dot)})
    for (name, width, dark), found in seen.items():
        _, wrong, cases = pages[name]
        told = faults(found, dark)
        if name == "may not load":  # not all browsers list it
            told.pop("loaded", None)
        assert set(told) == (wrong if (width, dark) in cases else set()), (name, width, dark, told)
        if name == "grey on grey":
            assert set(told["hard to read"]) == set(found["texts"]), "every kind of text is looked at"
