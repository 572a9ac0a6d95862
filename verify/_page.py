"""The results as one HTML page that stands alone: no network, no script, no other file.

A claim is a card: its formula, its worst point, how its verdict was reached, and a plot with a dot
for every point that was visited. Formulas are drawn by matplotlib's mathtext, each distinct glyph
once. Plots are written here, in 1 to 3 kB of SVG each: a matplotlib figure for every claim
would cost 30 kB and a good part of a second, two hundred times.
"""

from __future__ import annotations

import base64
import hashlib
import importlib
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from importlib import resources

import spherelab
from spherelab.check import Comparison, Result
from spherelab.claim import Proof, Relation, Verdict
from spherelab.output import environment
from verify import RESULTS
from verify._html import escaped, half, middle, plural, prose, quotient, rounded
from verify._page_formula import Formulas
from verify._page_plot import ONE_SIDED, WIDTH, figure
from verify._table import describe, number, ratio, summary

#: Beside the word of a verdict: it must not be told by its colour alone.
_SIGNS = {
    Verdict.PROVED: "∎",
    Verdict.HOLDS: "✓",
    Verdict.SAMPLED: "≈",
    Verdict.UNDECIDED: "?",
    Verdict.VIOLATED: "✗",
}
_RELATIONS = {
    Relation.EQUAL: "=",
    Relation.AT_MOST: "≤",
    Relation.AT_LEAST: "≥",
    Relation.RATE: "→",
    Relation.IN_LAW: "against",
}


def page(results: Sequence[Result], *, title: str, command: str, seed: int, seconds: float) -> str:
    """The whole page.

    Parameters
    ----------
    results : of the claims, each key once; those that do not pass are shown first.
    title : what the page is about, for example ``"python -m verify"``.
    command : how the results were made.
    seed : of the sampled claims.
    seconds : wall time of the whole check.
    """
    failed = sorted(
        (result for result in results if not result.verdict.passed),
        key=lambda result: -result.verdict.severity,
    )
    modules: dict[str, list[Result]] = {}
    for result in results:
        modules.setdefault(_module(result), []).append(result)

    formulas = Formulas()
    body = [
        _header(results, title, command, seed, seconds),
        "<main>",
        _failures(failed, command, formulas),
        _summary_table(modules),
        _legend(),
        *(_section(name, found, formulas) for name, found in modules.items()),
        "</main>",
    ]
    style_hash = base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
    policy = (
        f"default-src 'none'; style-src 'sha256-{style_hash}'; base-uri 'none'; form-action 'none'"
    )
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{escaped(policy)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="referrer" content="no-referrer">',
            f"<title>{escaped(title)}: {escaped(_in_short(results))}</title>",
            f"<style>{_style()}</style>",
            "</head>",
            '<body id="top">',
            formulas.definitions(),  # filled by the cards above
            *body,
            "</body>",
            "</html>",
            "",
        ]
    )


def _module(result: Result) -> str:
    return result.claim.key.split(".")[0]


# --- small pieces ---------------------------------------------------------------------------------


def _value(text: str) -> str:
    return f'<span class="value">{prose(text)}</span>'


def _badge(verdict: Verdict, count: int | None = None) -> str:
    before = "" if count is None else f"{count} "
    return (
        f'<span class="badge {verdict.name.lower()}">{before}'
        f'<span aria-hidden="true">{_SIGNS[verdict]}</span> {verdict.name}</span>'
    )


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    """A list of terms and what is said of them (both are HTML); what is empty is left out."""
    rows = (f"<div><dt>{term}</dt><dd>{said}</dd></div>" for term, said in pairs if said)
    return f"<dl>{''.join(rows)}</dl>"


# --- head and summary -----------------------------------------------------------------------------


def _in_short(results: Sequence[Result]) -> str:
    failed = sum(not result.verdict.passed for result in results)
    if not results:
        return "no claim was checked"
    return f"{plural(failed, 'claim')} not passed" if failed else "every claim passes"


def _header(results: Sequence[Result], title: str, command: str, seed: int, seconds: float) -> str:
    passed = bool(results) and all(result.verdict.passed for result in results)
    sentence = summary(results, seconds) if results else "No claim was checked."
    versions = ", ".join(
        f"{escaped(name)} {escaped(version or 'not installed')}"
        for name, version in environment().items()
    )
    about = _pairs(
        [
            ("command", f"<code>{prose(command)}</code>"),
            ("seed", escaped(seed)),
            ("versions", f"spherelab {escaped(spherelab.__version__)}, {versions}"),
        ]
    )
    return (
        f"<header><h1>{escaped(title)}</h1>"
        f'<p class="sentence {"passed" if passed else "failed"}">{escaped(sentence)}</p>{about}'
        "</header>"
    )


def _summary_table(modules: dict[str, list[Result]]) -> str:
    rows = []
    for name, results in modules.items():
        count = Counter(result.verdict for result in results)
        badges = " ".join(_badge(verdict, count[verdict]) for verdict in Verdict if count[verdict])
        rows.append(
            f'<tr role="row"><th scope="row" role="rowheader"><a href="#m-{escaped(name)}">'
            f"{escaped(_titles(name)[0])}</a></th>{_cell('claims', str(len(results)))}"
            f"{_cell('verdicts', badges)}"
            f"{_cell('least margin', _extreme(results, _least_margin, min))}"
            f"{_cell('largest difference', _extreme(results, _difference, max))}</tr>"
        )
    if not rows:
        return ""
    columns = ("result", "claims", "verdicts", "least margin", "largest difference")
    head = "".join(f'<th scope="col" role="columnheader">{name}</th>' for name in columns)
    return (
        '<section aria-labelledby="summary"><h2 id="summary">Summary</h2>'
        # the roles are those that the elements have, until a narrow screen shows no table
        f'<table role="table"><thead role="rowgroup"><tr role="row">{head}</tr></thead>'
        f'<tbody role="rowgroup">{"".join(rows)}</tbody></table>'
        "<p>The least margin is that of the inequalities (≤, ≥) less the error, so it is just "
        "below 0 where equality is attained; the largest difference |left - right| is that of the "
        "equalities (=, →). Both are relative to the larger side and link to their claim.</p>"
        "</section>"
    )


def _cell(column: str, content: str) -> str:
    return f'<td role="cell" data-column="{column}"><div>{content}</div></td>'


def _extreme(
    results: Sequence[Result],
    measure: Callable[[Result, Comparison], float],
    choose: Callable[..., tuple[float, str]],
) -> str:
    """The extreme of a measure over the claims that have it, as a link to its claim."""
    found = [
        (value, result.claim.key)
        for result in results
        for _, comparison in result.visited
        if math.isfinite(value := measure(result, comparison))
    ]
    if not found:
        return "-"
    value, key = choose(found)
    return f'<a href="#c-{escaped(key)}">{rounded(value, 2)}</a>'


def _least_margin(result: Result, at: Comparison) -> float:
    one_sided = result.claim.relation in ONE_SIDED and result.claim.sample is None
    return quotient(at.margin[0], at.magnitude) if one_sided and at.magnitude else math.nan


def _difference(result: Result, at: Comparison) -> float:
    equality = result.claim.relation not in ONE_SIDED and result.claim.sample is None
    return quotient(abs(at.left - at.right), at.magnitude) if equality else math.nan


def _titles(module: str) -> tuple[str, str]:
    """What a module's command says of itself: its name, and the rest of the sentence."""
    if module not in RESULTS:
        return module, ""
    line = (importlib.import_module(f"verify.{module}").__doc__ or module).splitlines()[0]
    name, _, rest = line.partition(": ")
    return name.removesuffix("."), rest


def _legend() -> str:
    verdicts = _pairs((_badge(verdict), escaped(verdict.sentence)) for verdict in Verdict)
    return (
        '<section class="legend" aria-labelledby="legend"><h2 id="legend">How to read this</h2>'
        f"{verdicts}"
        "<p>Each claim is shown at its worst point: the most severe one, then the one with the "
        "least margin relative to the larger side. The margin is right - left (≤), left - right "
        "(≥) or -|left - right| (=, →, in law); what stands after ± is the error of the "
        'evaluation itself, for a sampled claim the acceptance band. <span class="tag">ours</span>'
        ' marks what goes beyond the source that is named, <span class="tag">tight</span> what is '
        "attained with equality, in the domain or at its edge. In a plot, every visited point is a "
        "mark, and a line joins points that differ in the horizontal coordinate alone.</p>"
        "</section>"
    )


def _failures(failed: Sequence[Result], command: str, formulas: Formulas) -> str:
    if not failed:
        return ""
    cards = "".join(_card(result, formulas, command) for result in failed)
    return (
        '<section class="failures" aria-labelledby="failures">'
        f'<h2 id="failures">{plural(len(failed), "claim")} not passed</h2>{cards}</section>'
    )


def _section(module: str, results: Sequence[Result], formulas: Formulas) -> str:
    name, rest = _titles(module)
    lead = f"<p>{escaped(rest[:1].upper() + rest[1:])}</p>" if rest else ""
    passed = [result for result in results if result.verdict.passed]
    if len(passed) < len(results):
        count = plural(len(results) - len(passed), "claim")
        lead += f'<p><a href="#failures">{count} not passed</a>: shown at the top.</p>'
    cards = "".join(_card(result, formulas) for result in passed)
    return (
        f'<section aria-labelledby="m-{escaped(module)}">'
        f'<h2 id="m-{escaped(module)}">{escaped(name)}</h2>{lead}{cards}'
        '<p class="up"><a href="#top">To the top</a></p></section>'
    )


# --- a claim --------------------------------------------------------------------------------------


def _card(result: Result, formulas: Formulas, command: str = "") -> str:
    """One claim; with ``command``, how to see it again."""
    claim = result.claim
    tags = "".join(
        f' <span class="tag">{tag}</span>'
        for tag, given in (("ours", claim.ours), ("tight", claim.tight))
        if given
    )
    key = escaped(claim.key)
    return (
        f'<article id="c-{key}" class="{result.verdict.name.lower()}">'
        f'<header><h3><a href="#c-{key}">{key}</a></h3>{_badge(result.verdict)}</header>'
        f'<div class="words">{formulas.svg(claim.formula, claim.statement)}'
        f"<p>{prose(claim.statement)}</p>"
        f'<p class="source">{escaped(claim.source)}{tags}</p>'
        f"{_pairs(_facts(result, command))}</div>"
        f"{figure(result)}{_how(result)}</article>"
    )


def _facts(result: Result, command: str) -> list[tuple[str, str]]:
    claim = result.claim
    at, margin = describe(result.at), rounded(middle(result.margin), 3)
    left, right, relation = number(result.left), number(result.right), _RELATIONS[claim.relation]
    if not result.verdict.passed:  # all digits: somebody will want to see it again
        at = " ".join(f"{name}={value!r}" for name, value in result.at.items()) or "-"
        left, right = repr(result.left), repr(result.right)
    names, sides = f"left {relation} right", f"{left} {relation} {right}"
    if claim.relation is Relation.IN_LAW:
        names = "left, right"
    if math.isnan(result.left) and math.isnan(result.right):
        sides = "no number"
    shown = claim.relation in ONE_SIDED and math.isfinite(result.ratio)
    if math.isfinite(half(result.margin)):
        margin += f" ± {rounded(half(result.margin), 2)}"
    points = plural(result.points, "point")
    if result.failures:
        points += f", {result.failures} not passed"
    return [
        ("worst point", _value(at) if result.at else ""),
        (names, _value(sides)),
        ("ratio", _value(ratio(result.ratio)) if shown else ""),
        ("margin", _value(margin)),
        ("visited", f"{points}, {result.seconds:.2f} s"),
        ("note", prose(claim.note)),
        ("reason", prose(result.reason)),
        ("again", f"<code>{prose(f'{command} --claim {claim.key}')}</code>" if command else ""),
    ]


def _how(result: Result) -> str:
    """How a verdict that is more than a comparison of two numbers was reached."""
    parts = []
    if result.proof is not None and result.proof.decided:
        parts.append(f"<h4>Proof</h4>{_pairs(_proof(result.proof))}")
    if result.sampled is not None:
        sampled = result.sampled
        pairs = [
            ("n", escaped(sampled.n)),
            ("seed", escaped(sampled.seed)),
            ("false alarms", f"at a rate of {sampled.false_alarm:g}, over all points together"),
        ]
        parts.append(f"<h4>Sample</h4>{_pairs(pairs)}")
    return f'<div class="how">{"".join(parts)}</div>' if parts else ""


def _proof(proof: Proof) -> list[tuple[str, str]]:
    box = ", ".join(f"{name} in [{low:g}, {high:g}]" for name, (low, high) in proof.box.items())
    where = f"{plural(proof.points, 'point')} of " if proof.points else "all of "
    bits = f"ball arithmetic, {proof.precision_bits} bits, {plural(proof.bisections, 'bisection')}"
    return [
        ("concludes", "" if proof.holds else "the claim is false"),
        ("box", prose(where + box) if box else ""),
        ("by", bits if proof.precision_bits else "a symbolic identity"),
        ("left", prose(proof.left)),
        ("right", prose(proof.right)),
    ]


def _style() -> str:
    text = (resources.files("verify") / "page.css").read_text(encoding="utf-8")
    return text.replace("PLOT", f"{WIDTH}px")
