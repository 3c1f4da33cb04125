"""Beside each figure a script draws its numbers with gnuplot alone; tests of figures call gnuplots.check() for theirs."""
import shutil

import pytest

import drawing
import gnuplots
from rollbench import new_folder

# A figure with a mark of every kind, all scales, words that gnuplot could take for commands, and panels and parts that are not to be drawn.
FIGURE = r"""
import matplotlib.patches, numpy
from plots.common import drawing as d
figure, axes = d.panels(2, rows=3)
a, b, c, e, f, g = axes.flat
hostile = '`touch ran` "; !touch ran; # \\ %d @name $x_1$ ' + chr(27) + '[31m'
for shade in '#4c72b0', '#c44e52':
    a.plot([1, 2, 3], [3, 1, 2], color=shade, marker='o', label=hostile + shade)
    a.plot([1, 3], [2, 2 if shade == '#4c72b0' else 4], color=shade, label='_no words')
a.plot([2], [1.4], 'x', color='#c44e52', linestyle='none')
a.axhline(2.5, color='#555555'); a.axvline(1.5); a.axhspan(1, 1.2); a.axvspan(2, 2.2)
a.set_title(hostile); a.set_xlabel(hostile); a.set_ylabel(hostile)
a.text(2, 2, hostile); a.annotate('near', (1, 3), xytext=(2, 3), textcoords='offset points'); a.text(0.5, -0.3, 'below', transform=a.transAxes)
b.bar([0, 1], [4, 2], yerr=[1, 0.5], capsize=2, color='#55a868', label='bars')
b.set_xticks([0, 1], [hostile, '100 %'])
b.add_patch(matplotlib.patches.Rectangle((0, 0), 1, 1, facecolor='none', edgecolor='white'))
c.vlines([1, 10], [1, 2], [3, 4]); c.fill_between([1, 10, 100], [1, 2, 3], [2, 3, 9], step='mid', alpha=0.2)
c.plot([1, 10, 100], [0, 3, 30], drawstyle='steps-mid'); c.set_xscale('log'); c.set_yscale('symlog', linthresh=1)
e.imshow(numpy.array([[1, numpy.nan], [2, 3]])); figure.colorbar(e.images[0])
f.bar([1, 2], [5, 50]); f.set_yscale('log', base=2)
g.text(0.5, 0.5, 'nothing measured', transform=g.transAxes)
d.note(figure, hostile + '\\\nsecond line')
"""


@pytest.fixture(scope="module")
def made():
    folder = new_folder()
    done = drawing.execute(f"exec({FIGURE!r}); d.save(figure, {str(folder)!r}, 'x', 'a figure')", [])
    assert done.returncode == 0, done.stderr
    return folder


def test_every_kind_of_mark_is_drawn_with_its_axes(made):
    gnuplots.check(made, "x")
    panels = gnuplots.panels_of(made / "x.data.csv")
    assert {row["kind"] for rows in panels.values() for row in rows} >= {*gnuplots.PLACES, "cell"} and sorted(panels) == ["0", "1", "2", "3", "4"]


def test_words_are_no_commands(made):
    """Results may come from anyone. The words are drawn, as they are but for what is not printable."""
    folder = new_folder()
    shutil.copytree(made, folder / "f")
    gnuplots.run((made / "x.gp").read_text(encoding="utf-8"), folder / "f")
    assert not list(folder.rglob("ran")), "gnuplot ran a command"
    text = (made / "x.gp").read_text(encoding="utf-8")
    assert "\033" not in text and r"\140touch ran\140 \"; !touch ran; # \\ %d \100name $x_1$ [31m" in text


def test_nothing_is_told_apart_by_hue(made):
    lines = (made / "x.gp").read_text(encoding="utf-8").splitlines()
    marks = [line.partition(" with ")[2] for line in lines if "title" in line and "#4c72b0" in line or "#c44e52" in line]
    assert len(marks) == 2 and marks[0].partition(" title")[0] != marks[1].partition(" title")[0], marks
    assert not any(hue in line.partition(" title")[0] for line in lines for hue in ("4c72b0", "c44e52", "55a868")), "a hue"


WRONG = (('"y" with points', '"x" with points', "Counter"), ("set xrange [left:right]", "set xrange [left:right + 1]", "[0.9"),
         ('of(0, " 0 "', 'of(0, " 0 1 "', "Counter"), ("(bottom):(0):(top - bottom) with vectors", "(top):(0):(top - bottom) with vectors", "Counter"),
         ("set xlabel", "plot 1, no", "returncode=1"))


def test_a_script_that_draws_something_else_is_found(made):
    folder = new_folder()
    shutil.copy(made / "x.data.csv", folder)
    text = (made / "x.gp").read_text(encoding="utf-8")
    for right, wrong, said in WRONG:
        assert right in text, right
        (folder / "x.gp").write_text(text.replace(right, wrong, 1), encoding="utf-8")
        with pytest.raises(AssertionError) as refused:
            gnuplots.check(folder, "x")
        assert said in str(refused.value), (wrong, refused.value)


def test_a_scale_that_gnuplot_cannot_have_is_an_error():
    done = drawing.execute("from plots.common import drawing as d; figure, axes = d.panels(1); axes[0][0].set_yscale('logit'); "
                           f"axes[0][0].plot([1], [0.5]); d.save(figure, {str(new_folder())!r}, 'x', 'x')", [])
    assert done.returncode == 1 and "no gnuplot for a logit scale" in done.stderr, done
