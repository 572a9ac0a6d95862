"""The page of results: its structure, its plots, its formulas, and what a browser makes of it."""

from __future__ import annotations

import base64
import dataclasses
import hashlib
import importlib
import json
import math
import re
import shutil
import subprocess
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import verify
from spherelab.check import Comparison, Result, check
from spherelab.claim import Axis, Claim, Domain, Proof, Relation, Verdict
from spherelab.value import Value
from verify import _page, _page_formula, _page_plot

D = Axis("d", (2, 3, 16, 1024), 2, 1024, "integer")
BETA = Axis("beta", (0.1, 2.0, 50.0), 0.1, 50.0, "log")
NASTY = 'a <b>bold</b> & "quoted" statement, \x00\ud800'


def claim(key: str, left: Any, relation: Relation, right: Any, **more: Any) -> Claim:
    fields: dict[str, Any] = {
        "statement": f"the statement of {key}",
        "source": "SG paper, Theorem 1",
        "ours": False,
        "domain": Domain((D, BETA)),
        "tight": False,
        "formula": r"l\leq\frac{1}{r}",
    }
    return Claim(key=key, left=left, relation=relation, right=right, **(fields | more))


def noise(rng: Any, n: int, d: int) -> Value:
    return Value(rng.standard_normal(n).mean(), n**-0.5)


BOX = {"d": (2.0, 1024.0), "beta": (0.1, 50.0)}
ALONG_D = Domain((D,))
TOY = (
    claim(
        "toy.log",
        lambda d, beta: beta / d,
        Relation.AT_MOST,
        lambda d, beta: 60.0,
        prove=lambda points: Proof(True, BOX, 128, 3, "left <= 0.8", "1"),
    ),
    claim("toy.linear", lambda d: 0.3 + 1 / d, Relation.AT_MOST, lambda d: Value(1.0, 0.05),
          domain=ALONG_D),
    claim("toy.from-below", lambda d: 2.0, Relation.AT_LEAST, lambda d: 1.0, domain=ALONG_D),
    claim(
        "toy.close", lambda d, beta: 1 - 1e-7 / d, Relation.AT_MOST, lambda d, beta: 1.0, ours=True
    ),
    claim("toy.signed", lambda d, beta: -1 / d, Relation.AT_MOST, lambda d, beta: 2.0, note=NASTY),
    claim("toy.nothing", lambda d, beta: 0.0, Relation.AT_MOST, lambda d, beta: 0.0),
    claim("toy.equal", lambda d: 1 + (d > 2) * 2e-15, Relation.EQUAL, lambda d: Value(1.0, 1e-12),
          domain=ALONG_D, tight=True),
    claim("toy.zero", lambda d, beta: 0.0, Relation.EQUAL, lambda d, beta: 0.0),
    claim("toy.one-number", lambda: 1.4, Relation.AT_LEAST, lambda: 1.0, domain=Domain(())),
    claim("toy.one-value", lambda d: 1.4, Relation.AT_LEAST, lambda d: 1.0,
          domain=Domain((Axis("d", (5,), 5, 5, "integer"),))),
    claim("toy.ranks", lambda share: share, Relation.AT_MOST, lambda share: 2.0,
          domain=Domain((Axis("share", (0.0, 1e-6, 0.5, 1.0), 0.0, 1.0),))),
    claim("toy.sampled", None, Relation.EQUAL, lambda d: 0.0, sample=noise, samples=400,
          domain=ALONG_D),
    claim("toy.nan", lambda d: math.nan if d == 16 else 1 / d, Relation.AT_MOST, lambda d: 1.0,
          domain=ALONG_D, statement=NASTY, formula=r"\notmathtext{x} < 1"),
    claim("toy.raises", lambda d: 1 / 0, Relation.EQUAL, lambda d: 1.0, domain=ALONG_D),
    claim("toy.straddles", lambda d: Value(0.999, 0.01), Relation.AT_MOST, lambda d: 1.0,
          domain=ALONG_D),
    claim("toy.violated", lambda d, beta: beta, Relation.AT_MOST, lambda d, beta: 1.0),
    claim("toy.off", None, Relation.IN_LAW, lambda d: 3.0, sample=noise, samples=400,
          domain=ALONG_D, formula="+".join("abcdefghijklmnopqrstuvwxyz" * 2)),
)  # fmt: skip


@pytest.fixture(scope="module")
def results() -> dict[str, Result]:
    return {c.key: check(c, rigorous=True) for c in TOY}


def page_of(*results: Result) -> str:
    return _page.page(
        results, title="python -m toy", command="python -m toy --quick", seed=7, seconds=1.5
    )


@pytest.fixture(scope="module")
def text(results: dict[str, Result]) -> str:
    return page_of(*results.values())


# --- reading the page -----------------------------------------------------------------------------

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Page(HTMLParser):
    """The tags of a page in order, with their attributes and the text inside; strict."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        names = [name for name, _ in attrs]
        assert len(set(names)) == len(names), f"{tag} has an attribute twice"
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_startendtag(self, tag: str, attrs: Any) -> None:
        assert "svg" in self._open, f"only svg has <{tag}/>"
        self.handle_starttag(tag, attrs)
        self._open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"style", "title"} & set(self._open[-1:]):
            self.words.append(data)

    @property
    def said(self) -> str:
        return " ".join(" ".join(self.words).split())

    def all(self, tag: str, kind: str | None = None) -> list[dict[str, str | None]]:
        return [
            attributes
            for name, attributes in self.tags
            if name == tag and (kind is None or kind in (attributes.get("class") or "").split())
        ]

    def attributes(self, name: str) -> list[str]:
        return [value for _, found in self.tags if (value := found.get(name)) is not None]


def card(text: str, key: str) -> str:
    start = text.index(f'<article id="c-{key}"')
    return text[start : text.index("</article>", start)] + "</article>"


# --- the page as a whole --------------------------------------------------------------------------


def test_the_page_is_well_formed_and_reaches_for_nothing(text: str) -> None:
    page = Page(text)
    assert text.startswith("<!DOCTYPE html>\n")
    assert page.all("html") == [{"lang": "en"}]
    assert "://" not in text
    assert "url(" not in text
    assert "@import" not in text
    ids = page.attributes("id")
    assert len(set(ids)) == len(ids)
    links = page.attributes("href")
    assert {link[0] for link in links} == {"#"}
    assert {link[1:] for link in links} <= set(ids)
    names = {name for _, attributes in page.tags for name in attributes}
    assert not {name for name in names if name in ("src", "style") or name.startswith("on")}
    assert not {"script", "link", "img", "iframe", "object", "form"} & {tag for tag, _ in page.tags}


def test_the_policy_allows_the_style_and_nothing_else(text: str) -> None:
    policy = next(meta["content"] for meta in Page(text).all("meta") if "http-equiv" in meta)
    assert policy is not None
    style = text[text.index("<style>") + len("<style>") : text.index("</style>")]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none'; ")


def test_the_head_says_what_was_done(text: str, results: dict[str, Result]) -> None:
    words = Page(text).said
    counts = Counter(result.verdict for result in results.values())
    points = sum(result.points for result in results.values())
    assert re.search(
        rf"17 claims, {points} points, 1\.5 s: 1 PROVED, {counts[Verdict.HOLDS]} HOLDS, "
        r"1 SAMPLED, 3 UNDECIDED, 2 VIOLATED\. Not every claim passes\.",
        words,
    )
    assert "python -m toy --quick" in words
    assert all(verdict.sentence in words for verdict in Verdict)
    assert all(name in words for name in ("spherelab", "numpy", "python", "seed"))


def test_every_claim_has_one_card_and_failures_come_first(
    text: str, results: dict[str, Result]
) -> None:
    cards = [str(attributes["id"]) for attributes in Page(text).all("article")]
    assert cards[:5] == [
        "c-toy.violated", "c-toy.off", "c-toy.nan", "c-toy.raises", "c-toy.straddles"
    ]  # fmt: skip
    assert sorted(cards) == sorted(f"c-{key}" for key in results)
    assert text.index('id="c-toy.straddles"') < text.index('id="summary"')
    assert text.index('id="summary"') < text.index('id="c-toy.log"')


def test_a_failure_shows_its_point_and_both_numbers_in_full(text: str) -> None:
    words = Page(card(text, "toy.violated")).said
    assert "d=2 beta=50.0" in words
    assert "50.0 ≤ 1.0" in words
    assert "8 of 12 points do not pass" in words
    assert "again python -m toy --quick --claim toy.violated" in words
    assert "again" not in Page(card(text, "toy.log")).said


def test_without_a_failure_there_is_no_section_for_them(results: dict[str, Result]) -> None:
    text = page_of(*(result for result in results.values() if result.verdict.passed))
    assert 'id="failures"' not in text
    assert "Every claim passes." in text
    assert "sentence passed" in text


def test_no_claims_are_no_pass() -> None:
    text = page_of()
    Page(text)
    assert "No claim was checked." in text
    assert "sentence failed" in text


def test_all_text_is_escaped(text: str) -> None:
    page = Page(text)
    assert not page.all("b")
    shown = NASTY.replace("\x00", "\ufffd").replace("\ud800", "\ufffd")
    assert page.words.count(shown) == 2  # a statement and a note
    text.encode()  # no half of a letter is left
    labels = page.attributes("aria-label")
    assert "the statement of toy.log" in labels
    nasty = claim("toy.label", lambda d: 1.0, Relation.EQUAL, lambda d: 1.0, domain=ALONG_D,
                  statement=NASTY)  # fmt: skip
    assert shown in Page(page_of(check(nasty))).attributes("aria-label")


def test_verdicts_are_words_with_signs(text: str) -> None:
    for verdict in Verdict:
        sign = _page._SIGNS[verdict]
        assert f'aria-hidden="true">{sign}</span> {verdict.name}</span>' in text


def test_the_card_of_a_proof_and_of_a_sample(text: str, results: dict[str, Result]) -> None:
    words = Page(card(text, "toy.log")).said
    assert results["toy.log"].verdict is Verdict.PROVED
    assert "all of d in [2, 1024], beta in [0.1, 50]" in words
    assert "ball arithmetic, 128 bits, 3 bisections" in words
    assert "left <= 0.8" in words
    words = Page(card(text, "toy.sampled")).said
    assert "n 400 seed 0 false alarms at a rate of 1e-06" in words


def test_a_refutation_says_so() -> None:
    refuted = claim("toy.refuted", lambda d: 1.0, Relation.AT_MOST, lambda d: 2.0, domain=ALONG_D,
                    prove=lambda points: Proof(True, BOX, holds=False))  # fmt: skip
    words = Page(page_of(check(refuted, rigorous=True))).said
    assert "refuted by the proof" in words
    assert "concludes the claim is false box all of" in words
    assert "by a symbolic identity" in words


def test_the_summary_has_a_row_for_each_module(results: dict[str, Result]) -> None:
    page = Page(page_of(*results.values()))
    headers = [attributes.get("scope") for attributes in page.all("th")]
    assert headers == ["col"] * 5 + ["row"]
    links = [attributes["href"] for attributes in page.all("a")]
    assert "#m-toy" in links
    modules = {"toy.signed": 2.0, "toy.equal": 2e-15, "toy.violated": -0.98}
    least = min(
        at.margin[0] / at.magnitude
        for key in ("toy.violated", "toy.signed", "toy.log")
        for _, at in results[key].visited
    )
    assert least == pytest.approx(modules["toy.violated"])
    assert 'href="#c-toy.violated">-0.98</a>' in page_of(*results.values())
    # the largest difference: that of an equality, not the 3 of a sample that is off
    assert 'href="#c-toy.equal">2.0e-15</a>' in page_of(*results.values())


def test_a_module_is_called_what_its_command_calls_it() -> None:
    assert _page._titles("theorem1")[0] == "Theorem 1"
    assert _page._titles("toy") == ("toy", "")
    for name in verify.RESULTS:
        title, rest = _page._titles(name)
        assert title and rest, name


# --- plots ----------------------------------------------------------------------------------------


def paths(text: str, kind: str) -> list[tuple[float, float]]:
    """The points that the marks of a kind start from."""
    svg = text[text.index('<svg class="plot"') : text.index("<figcaption>")]
    found = re.findall(rf'<path class="{kind}" d="([^"]*)"', svg)
    return [(float(x), float(y)) for d in found for x, y in re.findall(r"M([-\d.]+) ([-\d.]+)", d)]


def plot(results: dict[str, Result], key: str) -> str:
    return _page_plot.figure(results[key])


def legend(figure: str) -> list[str]:
    return [w.strip() for w in Page(figure[figure.index("<figcaption>") : -len("</figure>")]).words]


def shaded(figure: str) -> list[tuple[float, float]]:
    """The heights between which the claim is false."""
    found = re.findall(r'<rect class="false" x="\S+" y="(\S+)" width="\S+" height="(\S+)"', figure)
    return [(float(y), float(y) + float(height)) for y, height in found]


def ticks(figure: str) -> tuple[list[str], list[str]]:
    """The labels of the horizontal and of the vertical axis."""
    vertical = re.findall(r'<text class="y"[^>]*>([^<]*)<', figure)
    below = _page_plot.BOTTOM + 19
    return re.findall(rf'<text x="\S+" y="{below}">([^<]*)<', figure), vertical


KINDS = {
    "toy.log": "left / right",
    "toy.linear": "left / right",
    "toy.from-below": "left / right",
    "toy.close": "left / right - 1",
    "toy.signed": "margin / magnitude",
    "toy.nothing": "margin / magnitude",
    "toy.equal": "|left - right| / magnitude",
    "toy.zero": "|left - right| / magnitude",
    "toy.one-number": "left / right",
    "toy.one-value": "left / right",
    "toy.ranks": "margin / magnitude",
    "toy.sampled": "(left - right) / band",
    "toy.nan": "left / right",
    "toy.raises": "|left - right| / magnitude",
    "toy.straddles": "left / right",
    "toy.violated": "left / right",
    "toy.off": "(left - right) / band",
}


@pytest.mark.parametrize("key", KINDS)
def test_a_plot_shows_every_point_once(results: dict[str, Result], key: str) -> None:
    result, figure = results[key], plot(results, key)
    Page(figure)
    assert f'<text class="name" x="4" y="14">{KINDS[key]}</text>' in figure
    dots, crosses = paths(figure, "dot"), paths(figure, "bad")
    assert len(dots) + len(crosses) == result.points
    assert len(crosses) == result.failures
    assert len(paths(figure, "worst")) == 1
    assert set(paths(figure, "worst")) <= set(dots + crosses)
    for x, y in dots + crosses:
        assert _page_plot.LEFT < x < _page_plot.RIGHT
        assert _page_plot.TOP <= y <= _page_plot.BOTTOM
    horizontal, vertical = ticks(figure)
    assert len(vertical) >= 2
    assert len(set(vertical)) == len(vertical)
    assert len(horizontal) >= 2 or not result.claim.domain.axes
    assert len(set(horizontal)) == len(horizontal)


@pytest.mark.parametrize("key", [key for key, kind in KINDS.items() if "magnitude" not in kind])
def test_a_dot_is_in_the_shade_where_the_claim_is_false(
    results: dict[str, Result], key: str
) -> None:
    """The mark of each point, held against what the check says of it."""
    figure, result = plot(results, key), results[key]
    bands = shaded(figure)
    assert bands
    assert "false there" in legend(figure)

    def inside(y: float) -> bool:
        return any(top - 1e-9 <= y <= bottom + 1e-9 for top, bottom in bands)

    if key not in ("toy.straddles", "toy.nan", "toy.close"):  # between the two, or none, or at it
        assert not any(inside(y) for _, y in paths(figure, "dot"))
        assert all(inside(y) for _, y in paths(figure, "bad"))
    assert result.verdict.passed == (not paths(figure, "bad"))


def test_the_scale_of_a_ratio(results: dict[str, Result]) -> None:
    """Log above two decades, linear below; a dot stands where its number says."""
    figure = plot(results, "toy.log")
    (_, edge), *_ = shaded(figure)
    labels = ticks(figure)[1]
    assert "1" in labels
    ratios = sorted(at.left / at.right for _, at in results["toy.log"].visited)
    heights = sorted((y for _, y in paths(figure, "dot")), reverse=True)
    decade = (heights[0] - edge) / -math.log10(ratios[0])
    for ratio, y in zip(ratios, heights, strict=True):
        # coordinates are written with 2 decimals
        assert edge - decade * math.log10(ratio) == pytest.approx(y, abs=0.03)
    figure = plot(results, "toy.linear")
    (_, edge), *_ = shaded(figure)
    heights = [y for _, y in paths(figure, "dot")]
    unit = (heights[0] - edge) / (1 - 0.8)
    expected = [edge + unit * (1 - (0.3 + 1 / d)) for d in D.values]
    assert heights == pytest.approx(expected, abs=0.03 / (1 - 0.8))


def test_a_ratio_close_to_one_is_drawn_by_its_distance(results: dict[str, Result]) -> None:
    figure = plot(results, "toy.close")
    (_, edge), *_ = shaded(figure)
    depths = [y - edge for _, y in paths(figure, "dot")][:: len(BETA.values)]
    assert depths == pytest.approx([2 * depths[0] / d for d in D.values], abs=0.03)
    assert depths[0] > 50
    assert "-4e-8" in ticks(figure)[1]


def test_the_band_of_a_sample_has_the_sides_that_the_relation_has(
    results: dict[str, Result],
) -> None:
    assert len(shaded(plot(results, "toy.sampled"))) == 2
    for relation, above in ((Relation.AT_MOST, True), (Relation.AT_LEAST, False)):
        sampled = claim("toy.side", None, relation, lambda d: 0.0, domain=ALONG_D, sample=noise,
                        samples=400)  # fmt: skip
        ((top, bottom),) = shaded(_page_plot.figure(check(sampled)))
        assert (top == _page_plot.TOP) == above
        assert (bottom == _page_plot.BOTTOM) == (not above)


def test_marks_fill_the_frame(results: dict[str, Result]) -> None:
    xs = [x for x, _ in paths(plot(results, "toy.log"), "dot")]
    assert min(xs) == _page_plot.LEFT + _page_plot.INSET
    assert max(xs) == _page_plot.RIGHT - _page_plot.INSET


def test_an_exact_zero_is_a_decade_below_the_least_difference() -> None:
    values = [0.0, 1e-12, 1e-9]
    scale = _page_plot._vertical(
        _page_plot._Quantity("", values, [math.nan] * 3, log=True, allowed=True)
    )
    assert scale(0.0) == _page_plot.BOTTOM
    # upwards the pixels get smaller
    assert scale(0.0) - scale(1e-12) == pytest.approx(scale(1e-12) - scale(1e-11))
    assert scale.ticks[0] == (0.0, "0")


def test_the_smallest_numbers_have_a_scale() -> None:
    for values in ([0.0, 5e-324], [0.0], [], [-5e-324, 1e-310]):
        errors = [math.nan] * len(values)
        scale = _page_plot._vertical(_page_plot._Quantity("", values, errors, below=0.0))
        assert len(scale.ticks) >= 2
        assert all(_page_plot.TOP <= scale(value) <= _page_plot.BOTTOM for value in values)


def test_an_error_above_its_value_has_no_lower_end_on_a_log_scale() -> None:
    wide = claim("toy.wide", lambda d: Value(d**-4.0, 1e-3), Relation.AT_MOST, lambda d: 1.0,
                 domain=ALONG_D)  # fmt: skip
    figure = _page_plot.figure(check(wide))
    bars = dict(paths(figure, "error"))
    (path,) = re.findall(r'<path class="error" d="([^"]*)"', figure.split("<figcaption>")[0])
    ends = [float(y) for y in re.findall(r"V([\d.]+)", path)]
    dots = dict(paths(figure, "dot"))
    assert sorted(bars)[-1] == sorted(dots)[-1]
    assert bars[sorted(bars)[-1]] == dots[sorted(dots)[-1]]  # d = 1024: 1e-12 and its error 1e-3
    assert all(end < start for end, start in zip(ends, bars.values(), strict=True))


def test_error_bars_are_drawn_where_they_can_be_seen(results: dict[str, Result]) -> None:
    figure = plot(results, "toy.linear")
    assert "error" in legend(figure)
    (path,) = re.findall(r'<path class="error" d="([^"]*)"', figure.split("<figcaption>")[0])
    ends = [float(y) for y in re.findall(r"V([\d.]+)", path)]
    bars, dots = paths(figure, "error"), paths(figure, "dot")
    assert len(bars) == len(dots) == 4
    for (_, start), (_, middle), end in zip(bars, dots, ends, strict=True):
        assert start - middle == pytest.approx(middle - end, abs=0.03)
        assert start - middle > 3
    assert not paths(plot(results, "toy.log"), "error")


def test_an_equality_shows_what_the_error_allows(results: dict[str, Result]) -> None:
    figure = plot(results, "toy.equal")
    assert {"point", "allowed by the error", "resolution"} <= set(legend(figure))
    allowed = paths(figure, "allowed")
    assert len(allowed) == 4
    dots = dict(paths(figure, "dot"))
    assert all(y < dots[x] for x, y in allowed)  # the difference is below it
    floor = [y for _, y in paths(figure, "dot") if y == _page_plot.BOTTOM]
    assert len(floor) == 1  # d = 2: an exact zero
    assert "0" in ticks(figure)[1]
    assert len(paths(figure, "limit")) == 1


def test_lines_join_what_differs_in_one_coordinate(results: dict[str, Result]) -> None:
    figure = plot(results, "toy.log")
    lines = re.findall(r'<path class="join" d="([^"]*)"', figure)[0].split("M")[1:]
    assert len(lines) == 3  # one a beta
    assert [line.count("L") for line in lines] == [3, 3, 3]
    nan = re.findall(r'<path class="join" d="([^"]*)"', plot(results, "toy.nan"))
    assert nan[0].count("L") == 2  # three of the four points have a number
    mixed = claim("toy.mixed", lambda d: 1 / d, Relation.AT_MOST, lambda d: 1.0,
                  domain=Domain((Axis("d", (16, 2, 1024, 3), 2, 1024, "integer"),)))  # fmt: skip
    (line,) = re.findall(r'<path class="join" d="M([^"]*)"', _page_plot.figure(check(mixed)))
    places = [float(end.split()[0]) for end in line.split("L")]
    assert places == sorted(places)
    for key in ("toy.one-number", "toy.one-value"):
        assert 'class="join"' not in plot(results, key)


def test_a_point_without_a_number_is_said_to_have_none(results: dict[str, Result]) -> None:
    assert "no number" in legend(plot(results, "toy.nan"))
    assert "no number" in legend(plot(results, "toy.raises"))
    assert "not passed" in legend(plot(results, "toy.violated"))


def test_a_plot_has_a_sentence(results: dict[str, Result]) -> None:
    label = Page(plot(results, "toy.violated")).attributes("aria-label")[0]
    assert label == "left / right against d at 12 points, from 0.100 to 50.0, false above 1"
    label = Page(plot(results, "toy.equal")).attributes("aria-label")[0]
    assert re.fullmatch(
        r"\|left - right\| .* at 4 points, from 0.00 to .*, allowed up to .*", label
    )


def test_the_horizontal_scale() -> None:
    def scale(axis: Axis) -> tuple[bool, list[str], list[float]]:
        found, drawn = _page_plot._horizontal(axis, axis.values)
        return found.log, [name for _, name in found.ticks], [drawn[v] for v in axis.values]

    linear = Axis("n", (2, 4, 8), 2, 8, "integer")
    assert scale(linear) == (False, ["2", "4", "8"], [2, 4, 8])
    assert scale(D) == (True, ["2", "16", "1024"], [2, 3, 16, 1024])
    assert scale(BETA)[0]
    ranks = Axis("share", (0.0, 1e-6, 1.0), 0.0, 1.0)
    assert scale(ranks) == (False, ["0", "1e-6", "1"], [0, 1, 2])
    assert scale(Axis("d", (5,), 5, 5, "integer"))[1] == ["4", "5", "6"]
    assert scale(Axis("n", tuple(range(1, 101)), 1, 100, "integer"))[0] is False  # dense, but even
    assert scale(Axis("k", (-100, -1, 1, 2), -100, 100, "integer"))[2] == [0, 1, 2, 3]  # no log
    close = (50.0, math.nextafter(50.0, 0))  # with the same logarithm
    assert scale(dataclasses.replace(BETA, values=close))[2] == [1, 0]
    found, drawn = _page_plot._horizontal(linear, [math.inf])
    assert found.ticks == [(drawn[math.inf], "inf")]
    assert scale(Axis("x", (0.5,), 0.0, 1.0))[1] == ["0.25", "0.5", "0.75"]


@given(low=st.floats(-1e12, 1e12), span=st.floats(1e-12, 1e12))
def test_round_values(low: float, span: float) -> None:
    """Two to seven of them, equally far from each other, inside (to the rounding of the step)."""
    high = low + span
    assume(high - low > 1e-6 * max(abs(low), abs(high)))  # every plot's holds 0 or 1
    values = _page_plot._round_values(low, high)
    assert 2 <= len(values) <= 7
    slack = 1e-9 * (high - low)
    assert low - slack <= values[0] < values[-1] <= high + slack


NUMBERS = st.floats(allow_nan=True, allow_infinity=True)


@st.composite
def some_results(draw: Any) -> Result:
    """A result with any numbers at all, also such that no check can return."""
    relation = draw(st.sampled_from(list(Relation)))
    sampled = relation is Relation.IN_LAW or draw(st.booleans())
    key = "toy.any"
    if sampled:
        found = claim(key, None, relation, lambda **p: 0.0, sample=noise, samples=2)
    else:
        found = claim(key, lambda **p: 0.0, relation, lambda **p: 0.0)
    values = st.one_of(NUMBERS, st.sampled_from([0.0, 1.0, -1.0, 5e-324, 1e308]))
    comparisons = st.builds(
        Comparison,
        st.sampled_from([Verdict.HOLDS, Verdict.UNDECIDED, Verdict.VIOLATED]),
        values,
        values,
        st.tuples(values, values),
        values,
    )
    coordinates = st.fixed_dictionaries(
        {"d": st.one_of(st.integers(-9, 9), st.just(math.inf)), "beta": st.floats(0.1, 50.0)}
    )
    visited = draw(st.lists(st.tuples(coordinates, comparisons), max_size=5))
    at, worst = visited[0] if visited else ({}, draw(comparisons))
    return Result(found, worst.verdict, worst.left, worst.right, worst.margin, at, len(visited),
                  draw(values), visited=tuple(visited))  # fmt: skip


@settings(max_examples=150)
@given(result=some_results())
def test_no_number_breaks_a_page(result: Result) -> None:
    text = page_of(result)
    Page(text)
    figure = text[text.index("<article") :]
    for d in re.findall(r' d="([^"]*)"', figure) + re.findall(r' y="([^"]*)"', figure):
        assert not re.search("nan|inf", d), d


# --- formulas -------------------------------------------------------------------------------------


def every_claim() -> list[Claim]:
    found: list[Claim] = []
    for name in verify.RESULTS:
        found += importlib.import_module(f"spherelab.theory.{name}").CLAIMS
    return found


def imagined(claim: Claim) -> Result:
    """A result with the points of the whole grid, without the time to evaluate them."""
    visited = tuple(
        (point, Comparison(Verdict.HOLDS, 0.5 / k, 1.0, (1 - 0.5 / k, 1 - 0.5 / k), 1.0))
        for k, point in enumerate(claim.domain.points(), start=1)
    )
    at, worst = visited[0]
    return Result(claim, worst.verdict, worst.left, worst.right, worst.margin, at, len(visited),
                  0.1, visited=visited)  # fmt: skip


SIDES = ("width", "height")


@pytest.fixture(scope="module")
def whole() -> tuple[list[Claim], str]:
    claims = every_claim()
    return claims, page_of(*map(imagined, claims))


def test_every_formula_is_drawn(whole: tuple[list[Claim], str]) -> None:
    claims, text = whole
    for claim in claims:
        formula = card(text, claim.key).split("</div>")[0]
        drawn = Page(formula[formula.index("<svg") :]).all("svg")[0]
        assert (drawn["role"], drawn["aria-label"]) == ("img", claim.statement), claim.formula
        width, height = (float((drawn[side] or "").removesuffix("em")) for side in SIDES)
        assert 0.5 < height < width, claim.key


def test_each_glyph_and_each_formula_is_defined_once(whole: tuple[list[Claim], str]) -> None:
    claims, text = whole
    definitions = text[text.index("<defs>") : text.index("</defs>")]
    assert definitions.count("<g ") == len({claim.formula for claim in claims if claim.formula})
    glyphs = re.findall(r'<path id="g\d+" d="([^"]*)"', definitions)
    assert len(glyphs) > 30
    assert len(set(glyphs)) == len(glyphs)


def test_the_page_of_the_whole_theory_is_small(whole: tuple[list[Claim], str]) -> None:
    claims, text = whole
    assert len(claims) > 100
    Page(text)
    # 3 MB for 200 claims
    assert len(text.encode()) < 15_000 * len(claims)


def test_a_formula_that_mathtext_does_not_know_is_shown_as_it_is(text: str) -> None:
    assert r'<p class="formula"><code>\notmathtext{x} &lt; 1</code></p>' in text


def test_a_long_formula_scrolls_in_its_own_box(text: str) -> None:
    assert 'class="wide" tabindex="0"' in card(text, "toy.off")
    assert "wide" not in card(text, "toy.log")


def test_a_glyph_stands_where_mathtext_puts_it() -> None:
    """The drawing of one formula, against matplotlib's own outline of it."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextPath

    formula = r"\dfrac{\mathcal{L}_\beta}{2}\leq\sqrt{x^2}"
    formulas = _page_formula.Formulas()
    drawn = formulas.svg(formula, "")
    font = FontProperties(math_fontfamily="stix")
    # without the markers of closed outlines, which matplotlib puts at the origin
    outline = TextPath((0, 0), f"${formula}$", size=100, prop=font)
    ends = outline.vertices[outline.codes != 79]
    view = [float(v) for v in re.findall(r'viewBox="([^"]*)"', drawn)[0].split()]
    points = drawn_points(formulas.definitions())
    assert len(points) == len(ends)
    for found, expected in zip(points, ends, strict=True):  # coordinates with 2 decimals
        assert found == pytest.approx(tuple(expected), abs=0.02)
    # 4 of border
    assert view[0] == pytest.approx(ends[:, 0].min() - 4, abs=0.02)
    assert view[2] == pytest.approx(ends[:, 0].max() - ends[:, 0].min() + 8, abs=0.02)
    assert -view[1] == pytest.approx(ends[:, 1].max() + 4, abs=0.02)
    assert view[3] == pytest.approx(ends[:, 1].max() - ends[:, 1].min() + 8, abs=0.02)


def drawn_points(definitions: str) -> list[tuple[float, float]]:
    """The ends of all segments of the one formula that is defined, y upwards."""

    def ends(d: str) -> list[tuple[float, float]]:
        numbers = [float(word) for word in re.findall(r"-?[\d.]+", d)]
        return list(zip(numbers[::2], numbers[1::2], strict=True))

    glyphs = dict(re.findall(r'<path id="(g\d+)" d="([^"]*)"', definitions))
    (group,) = re.findall(r'<g id="f\d+" transform="scale\(1 -1\)">(.*?)</g>', definitions)
    points = []
    for name, x, y, scale, path in re.findall(
        r'<use href="#(g\d+)" transform="translate\(([-\d.]+) ([-\d.]+)\)(?:scale\(([\d.]+)\))?"/>'
        r'|<path d="([^"]*)"/>',
        group,
    ):
        if path:
            points += ends(path)
            continue
        size = float(scale or 1)
        points += [(float(x) + size * a, float(y) + size * b) for a, b in ends(glyphs[name])]
    return points


def test_outer_fractions_are_large() -> None:
    large = _page_formula._with_large_fractions
    assert (
        large(r"\frac{\frac{a}{b}}{c}=x^{\frac{1}{2}}") == r"\dfrac{\frac{a}{b}}{c}=x^{\frac{1}{2}}"
    )
    assert large(r"\left\{\frac{a}{b}\right\}") == r"\left\{\dfrac{a}{b}\right\}"


# --- style ----------------------------------------------------------------------------------------


def luminance(colour: str) -> float:
    """Relative luminance of #rrggbb (WCAG 2.1)."""
    parts = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_read_in_both_schemes() -> None:
    schemes = re.findall(r":root \{([^}]*)\}", _page._style())
    assert len(schemes) == 2
    for scheme in schemes:
        colours = dict(re.findall(r"--([a-z]+): (#[0-9a-f]{6})", scheme))
        for ground in ("ground", "card"):
            for ink in ("ink", "soft", "link", *(verdict.name.lower() for verdict in Verdict)):
                assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)
            for mark in ("mark", "false"):  # WCAG asks for 3 of what is not text
                assert contrast(colours[mark], colours[ground]) >= 3, (mark, ground)


def test_no_text_is_small() -> None:
    sizes = re.findall(r"font(?:-size)?: (?:\d+ )?([\d.]+)(rem|px|em)", _page._style())
    assert len(sizes) > 5
    assert all(float(size) * {"px": 1, "rem": 16, "em": 16}[unit] >= 14 for size, unit in sizes)


# --- in a browser ---------------------------------------------------------------------------------

WIDTHS = (320, 360, 500, 650, 740, 1200)
MEASURE = """
addEventListener("load", () => {
  const found = [...document.querySelectorAll("iframe")].map(frame => {
    const inside = frame.contentDocument, view = frame.contentWindow;
    const style = element => view.getComputedStyle(element);
    const drawings = [...inside.querySelectorAll("svg:not(.definitions)")];
    const plots = [...inside.querySelectorAll("svg.plot")];
    const texts = [...inside.querySelectorAll("body *")].filter(element =>
      [...element.childNodes].some(node => node.nodeType == 3 && node.data.trim()));
    return {
      width: frame.clientWidth,
      scroll: inside.documentElement.scrollWidth,
      cards: inside.querySelectorAll("article").length,
      drawings: drawings.length,
      empty: drawings.filter(drawing => {
        const box = drawing.getBoundingClientRect();
        return !(box.width > 0 && box.height > 0);
      }).length,
      unseen: [...inside.querySelectorAll("use")].filter(use =>
        !use.closest("defs") && !(use.getBBox().width > 0)).length,
      shrunk: Math.min(...plots.map(plot => plot.getBoundingClientRect().width)),
      least: Math.min(...texts.map(text => parseFloat(style(text).fontSize))),
      title: style(inside.querySelector("h1")).fontSize,
      columns: style(inside.querySelector("article")).display,
      requests: view.performance.getEntriesByType("resource").length,
    };
  });
  document.body.textContent = "FOUND" + JSON.stringify(found) + "END";
});
"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Any:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next(filter(None, map(shutil.which, names)), None)
    if path is None:
        pytest.skip(f"there is no browser: none of {', '.join(names)} is on the path")
    profile = tmp_path_factory.mktemp("profile")

    def run(*arguments: str) -> Any:
        return subprocess.run(
            [
                path,
                "--headless",
                "--no-sandbox",
                "--hide-scrollbars",
                "--disable-gpu",
                "--disable-quic",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--enable-logging=stderr",
                f"--user-data-dir={profile}",
                *arguments,
            ],
            capture_output=True,
            text=True,
            timeout=120,
        )

    return run


@pytest.fixture
def written(text: str, tmp_path: Path) -> Path:
    path = tmp_path / "page.html"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.slow
def test_the_page_fits_every_screen(browser: Any, written: Path) -> None:
    """In frames of several widths: a window of a headless browser cannot be narrow."""
    frames = "".join(f'<iframe src="page.html" width="{w}" height="900"></iframe>' for w in WIDTHS)
    outer = written.with_name("outer.html")
    outer.write_text(
        f"<!DOCTYPE html><style>iframe {{ border: 0 }}</style><body>{frames}"
        f"<script>{MEASURE}</script>"
    )
    done = browser("--allow-file-access-from-files", "--dump-dom", outer.as_uri())
    found = json.loads(re.findall("FOUND(.*)END", done.stdout)[0].replace("&amp;", "&"))
    assert [frame["width"] for frame in found] == list(WIDTHS)
    for frame in found:
        assert frame["scroll"] <= frame["width"], frame
        assert frame["cards"] == len(TOY)
        assert frame["drawings"] > 3 * len(TOY)
        assert frame["empty"] == frame["unseen"] == 0, frame
        assert frame["requests"] == 0
        assert frame["title"] == "28px"  # the policy has let the style through
        assert frame["least"] >= 14
        if frame["width"] >= 360:  # so that the text of a plot has its 14 px
            assert frame["shrunk"] == _page_plot.WIDTH, frame
    assert found[0]["columns"] == "block"
    assert found[-1]["columns"] == "grid"
    assert "CONSOLE" not in done.stderr, done.stderr  # neither a refusal of the policy


@pytest.mark.slow
def test_the_page_can_be_printed(browser: Any, written: Path) -> None:
    path = written.with_name("page.pdf")
    browser("--no-pdf-header-footer", f"--print-to-pdf={path}", written.as_uri())
    content = path.read_bytes()
    assert content.startswith(b"%PDF")
    assert len(re.findall(rb"/Type /Page\b", content)) > len(TOY) / 4
