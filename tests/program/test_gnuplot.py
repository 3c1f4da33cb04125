"""Beside each figure a script draws its numbers with gnuplot alone; tests of figures call gnuplots.check() for theirs."""
import re
import shutil

import pytest

import drawing
import gnuplots
from rollbench import new_folder

# A figure with a mark of every kind, all scales, words that gnuplot could take for commands, and panels and parts that are not to be drawn.
FIGURE = r"""
import matplotlib.patches, numpy
from plots.common import drawing as d
figure, axes = d.panels(2, rows=4)
a, b, c, e, f, g, h, i = axes.flat
hostile = '`touch ran` ", 7 runs; !touch ran; # \\ %d @name $x_1$ ' + chr(27) + '[31m'
for shade in '#4c72b0', '#c44e52', '#555555', '#000000':
    a.plot([1, 2, 3], [3, 1, 2], color=shade, marker='o', label=hostile + shade)
    a.plot([1, 2, 3], [2, float('nan'), int(shade[-1], 16)], color=shade, label='_no words')
a.plot([2], [1.4], 'x', color='#c44e52', linestyle='none'); a.scatter([1, 2], [1, 1.5], color='#55a868', label='scattered')
a.axhline(2.5, color='#555555'); a.axvline(1.5); a.axhspan(1, 1.2); a.axvspan(2, 2.2)
a.set_title(hostile); a.set_xlabel(hostile); a.set_ylabel(hostile); a.legend()
a.text(2, 2, hostile); a.annotate('near', (1, 3), xytext=(2, 3), textcoords='offset points'); a.text(0.5, -0.3, 'below', transform=a.transAxes)
b.bar([0, 1], [4, 2], yerr=[1, 0.5], capsize=2, color='#55a868', label='bars'); b.bar([2], [3], facecolor='none', edgecolor='black', label='outlined')
b.set_xticks([0, 1], [hostile, '100 % of it'])
b.add_patch(matplotlib.patches.Rectangle((0, 0), 1, 1, facecolor='none', edgecolor='white'))
c.vlines([1, 10], [1, 2], [3, 4]); c.fill_between([1, 10, 100], [1, 2, 3], [2, 3, 9], step='mid', alpha=0.2)
c.plot([1, 10, 100], [-20, 3, 30], drawstyle='steps-mid'); c.set_xscale('log'); c.set_yscale('symlog', linthresh=1)
e.imshow(numpy.array([[1, numpy.nan], [2, 3]])); figure.colorbar(e.images[0]).set_label('bytes')
f.bar([1, 2], [5, 50]); f.set_yscale('log', base=2); f.set_xticks([])
g.text(0.5, 0.5, 'nothing measured', transform=g.transAxes)
h.plot([1, 2], [1, 2], 'o', color='#4c72b0', label='points'); h.plot([], [], ' ', label='  rises'); h.plot([1, 2], [1.5, 2], color='#4c72b0')
h.plot([], [], color='#c44e52', label='nothing above 0'); h.legend(); h.invert_yaxis()
h.plot(range(1, 20), [3] * 19, '^-', color='#8172b3', markevery=(2, 6))
for at in range(9): i.plot([0, 1], [at, at], color=d.plt.get_cmap('viridis')(at / 8))
d.note(figure, hostile + '\\\nsecond line')
"""

# Columns of panels, of which those below have the same marks without words. One has a title of its own, and marks that mean something else.
BELOW = r"""
from plots.common import drawing as d
figure, axes = d.panels(2, rows=3)
for (top, middle, last), title in zip(axes.T, ('CG', 'BFS')):
    top.plot([1, 2], [3, 4], 's', color='#4c72b0', label={'CG': 'only one', 'BFS': 'all'}[title]); top.set_title(title); top.legend()
    middle.plot([1, 2], [5, 4], 's', color='#4c72b0'); last.plot([1, 2], [5, 6], 's', color='#4c72b0')
axes[1][0].axhline(4, color='#555555', label='failure-free'); axes[1][0].legend(); axes[1][1].set_title('BFS, seconds')
"""


@pytest.fixture(scope="module")
def made():
    folder = new_folder()
    done = drawing.execute(f"exec({FIGURE!r}); d.save(figure, {str(folder)!r}, 'x', 'a figure')", [])
    assert done.returncode == 0, done.stderr
    return folder


def text_of(folder):
    return (folder / "x.gp").read_text(encoding="utf-8")


def test_every_kind_of_mark_is_drawn_with_its_axes_and_words(made):
    gnuplots.check(made, "x")
    panels = gnuplots.panels_of(made / "x.data.csv")
    assert {row["kind"] for rows in panels.values() for row in rows} >= {*gnuplots.PLOTTED, "cell", "scale"} and len(panels) == 7, panels.keys()
    text = text_of(made)
    assert "# panel 5: nothing measured" in text and 'set cblabel "bytes"' in text and "unset xtics" in text and '"-10¹" -10' in text.replace("⁻", "-")
    assert '"points: rises"' in text and 'title "nothing above 0"' in text and "second line" in text
    assert " pi 6" in text, "of a line on which every sixth point has a mark"


def test_words_are_no_commands(made):
    """Results may come from anyone. The words are drawn, as they are but for what is not printable."""
    folder = new_folder()
    shutil.copytree(made, folder / "f")
    gnuplots.run(folder / "f", "x.gp")
    assert not list(folder.rglob("ran")), "gnuplot ran a command"
    text = text_of(made)
    assert "\033" not in text and r"\140touch ran\140 \", 7 runs; !touch ran; # \\ %d \100name $x_1$ [31m" in text


def test_nothing_is_told_apart_by_hue(made):
    """Two hues, a grey and black have looks of their own; a sequence of colours goes from dark to light."""
    panels = text_of(made).split("\n\n")
    samples = [line.partition(" title")[0] for line in panels[1].splitlines() if "keyentry with linespoints" in line]
    assert len(samples) == len(set(samples)) == 4, samples
    assert not any(hue in line.partition(" title")[0] for line in text_of(made).splitlines() for hue in ("4c72b0", "c44e52", "55a868")), "a hue"
    greys = re.findall(r'lw 0.9 lc rgb "#(\w\w)\1\1"', panels[-1])
    assert len(greys) == 9 and greys == sorted(greys) and greys[0] < greys[-1], greys


# A part of a right script, what is wrong instead, what is said.
WRONG = (('"y" with points', '"x" with points', "Counter"), ("set xrange [left:right]", "set xrange [left:right + 1]", "[0.9"),
         ('of(0, " 0 "', 'of(0, " 0 2 "', "Counter"), ("(bottom):(0):(top - bottom) with vectors", "(top):(0):(top - bottom) with vectors", "Counter"),
         ('(column("x2") - column("x"))', "(0.1)", "Counter"), (':"x2":(clipped', ':"x":(clipped', "Counter"), (':"value" with', ':"x" with', "Counter"),
         ("set logscale x", "# logscale x", "scale"), ("set nonlinear y", "#", "scale"), ("set xtics (", "set x2tics (", "tick"),
         ('title "points: rises', 'title "lines: falls', "points"), ("keyentry with points pt ", "keyentry with points pt 1", "keyentry"),
         ("set xlabel", "plot 1, no", "returncode=1"))


def test_a_panel_without_a_title_goes_on_with_the_one_above_it():
    """Each panel is a page of its own: which problem it is of, and what its marks mean, stood in the page of another one."""
    folder = new_folder()
    done = drawing.execute(f"exec({BELOW!r}); d.save(figure, {str(folder)!r}, 'x', 'a figure')", [])
    assert done.returncode == 0, done.stderr
    gnuplots.check(folder, "x")
    pages = [part for part in text_of(folder).split("# panel ")[1:]]
    assert [re.search(r'set title "(.*?)"', page)[1] for page in pages] == ["CG", "BFS", "CG", "BFS, seconds", "CG", "BFS, seconds"], pages
    assert [re.findall(r'title "(.*?)"', page.partition("plot ")[2]) for page in pages] == [
        ["only one"], ["all"], ["failure-free", "only one"], [], ["only one"], []], pages


def test_a_script_that_draws_something_else_is_found(made):
    folder = new_folder()
    shutil.copy(made / "x.data.csv", folder)
    for right, wrong, said in WRONG:
        assert right in text_of(made), right
        (folder / "x.gp").write_text(text_of(made).replace(right, wrong, 1), encoding="utf-8")
        try:
            gnuplots.check(folder, "x")
        except AssertionError as refused:
            assert said in str(refused), (wrong, refused)
        else:
            raise AssertionError(f"{wrong} instead of {right} was not found")


def test_cells_of_several_sizes_are_an_error():
    done = drawing.execute("from plots.common import drawing as d; figure, axes = d.panels(1); axes[0][0].pcolormesh([0, 1, 5], [0, 1], [[1, 2]]); "
                           f"d.save(figure, {str(new_folder())!r}, 'x', 'x')", [])
    assert done.returncode == 1 and "no gnuplot for cells that are not of one size" in done.stderr, done


def test_a_scale_that_gnuplot_cannot_have_is_an_error():
    done = drawing.execute("from plots.common import drawing as d; figure, axes = d.panels(1); axes[0][0].set_yscale('logit'); "
                           f"axes[0][0].plot([1], [0.5]); d.save(figure, {str(new_folder())!r}, 'x', 'x')", [])
    assert done.returncode == 1 and "no gnuplot for a logit scale" in done.stderr, done
