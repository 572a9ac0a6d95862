"""What the figures share in looks: the style sheet, sizes, panel letters, colours by meaning."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Width of a page's text and of a column, in inches.
PAGE, COLUMN = 6.75, 3.3
#: Okabe and Ito's colours by name.
BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#D55E00", "#009E73", "#CC79A7"
YELLOW, SKY, BLACK, GREY = "#E69F00", "#56B4E9", "#000000", "#777777"


@contextmanager
def style() -> Iterator[None]:
    """The style sheet, within the block only."""
    import matplotlib

    with resources.as_file(resources.files("figures") / "style.mplstyle") as sheet:
        import matplotlib.style

        with matplotlib.style.context(str(sheet)):
            yield


def letter(axes: Axes, name: str, title: str) -> None:
    """The panel's letter and title, above it on the left."""
    axes.set_title(rf"$\bf{{({name})}}$ {title}")
