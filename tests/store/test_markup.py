from __future__ import annotations

import json
from pathlib import Path

import pytest
from anchorlight.store.markup import to_text
from hypothesis import given
from hypothesis import strategies as st

MML = '<mml:math xmlns:mml="http://www.w3.org/1998/Math/MathML">%s</mml:math>'


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("CO<sub>2</sub> &amp; <i>E. coli</i>", "CO₂ & E. coli"),
        ("<jats:italic>p</jats:italic> &lt; 0.05", "p < 0.05"),
        ("10<sup>-3</sup> and 19<sup>th</sup>, Ca<sup>2+</sup>, 2<sup>n</sup>",
         "10⁻³ and 19th, Ca²⁺, 2ⁿ"),
        ("x<sub><i>1</i></sub>", "x₁"),
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("<jats:p>One\n  line</jats:p>\n\n<jats:p>Two</jats:p>\n", "One line\n\nTwo"),
        ("<jats:sec><jats:title>Aim</jats:title>\n<jats:p>To see.</jats:p></jats:sec>"
         "<jats:sec><jats:title>Methods</jats:title><jats:p>We <b>did</b>.</jats:p></jats:sec>",
         "Aim\nTo see.\n\nMethods\nWe did."),
        ("<title>Abstract</title><p>Words</p>", "Words"),
        ("<title>Abstract</title><sec><title>Aim</title><p>Words</p></sec>", "Aim\nWords"),
        ("<h2>Abstract</h2>", ""),
        ("One<br>Two<BR />Three", "One\nTwo\nThree"),
        ("<p>Say:</p><ul><li>one</li><li><p>two</p></li></ul><p>End</p>",
         "Say:\n• one\n• two\n\nEnd"),
        ("<list list-type='order'><list-item><label>1.</label><p>one</p></list-item></list>",
         "• 1. one"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("a<script>alert(1)</script>b<style>p {}</style>c", "abc"),
        ("a<!-- <p>never</p> -->b", "ab"),
        ("<![CDATA[<p>One & two</p>]]>", "One & two"),
        ('<?xml version="1.0"?><!DOCTYPE html><p>x</p>', "x"),
        ('<a href="https://x.org/?a=1&b=2">link</a>', "link"),
        ('<span title="a > b">x</span>', "x"),
        ("R&amp;D, R&D, AT&T, &copy x, &unknown; &#233;&#xe9;&eacute;",
         "R&D, R&D, AT&T, &copy x, &unknown; ééé"),
        ("&lt;b&gt; &amp;lt;", "<b> &lt;"),
        ("lines\nstay &amp;\n\nparagraphs <i>too</i>", "lines\nstay &\n\nparagraphs too"),
        ("&lt;p&gt;<p>x</p>", "<p>\n\nx"),
        ("<p>never closed <i>and", "never closed and"),
        ("a <!-- never closed", "a  never closed"),
        ("a <script> never closed", "a  never closed"),
        (MML % "<mml:mi>x</mml:mi><mml:mo>=</mml:mo>\n <mml:mn>1</mml:mn>", "x=1"),
        (MML % "<mml:msub><mml:mi>x</mml:mi><mml:mn>1</mml:mn></mml:msub>", "x₁"),
        (MML % "<mml:msup><mml:mrow><mml:mi>x</mml:mi></mml:mrow><mml:mi>Q</mml:mi></mml:msup>",
         "x^Q"),
        ("<math><msubsup><mi>x</mi><mi>i</mi><mn>2</mn></msubsup></math>", "xᵢ²"),
        ("<math><mfrac><mn>1</mn><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow></mfrac></math>",
         "1/(a+b)"),
        ("<math><msqrt><mi>n</mi></msqrt><mover><mi>x</mi><mo>¯</mo></mover></math>",
         "√nx\u0304"),
        ("<math><semantics><mi>x</mi><annotation>TeX x</annotation></semantics></math>", "x"),
        (r'<inline-formula><tex-math notation="LaTeX">$\alpha$ </tex-math></inline-formula>',
         "α"),
        ("<math><mi>x</mi></math><tex-math>$x$</tex-math>", "x"),
    ],
)  # fmt: skip
def test_markup_becomes_the_text_it_shows(source: str, text: str) -> None:
    assert to_text(source) == text


@pytest.mark.parametrize(
    "source",
    [
        "a < b, x<y, p <0.05, n<100 and m>3",
        "List<int>, Map<String, List<T>>, <unk> and <mask>",
        "<s> begins, </s> ends",
        "if x <p and q> 3",
        "a --> b ]]> c <- d",
        "<<<>>> < > </ >",
        "mail <me@example.org>",
    ],
)
def test_what_is_no_known_element_stays_as_written(source: str) -> None:
    assert to_text(source) == source


def test_the_abstracts_of_crossref_are_shown_without_tags(shared: Path) -> None:
    first, second, _ = json.loads(
        (shared / "cases" / "H10-jats-html-abstracts" / "crossref_csl.json").read_text("utf-8")
    )
    assert to_text(first["title"]) == "Effects of CO₂ & E. coli at p < 0.05"
    assert to_text(first["abstract"]) == (
        "Aim\nTo test whether a < b, i.e. x<y and R&D.\n\nMethods\nWe used in vitro assays."
    )
    assert to_text(second["abstract"]) == "Bare HTML"


@pytest.mark.parametrize(
    "piece",
    [
        "<p>", "<sub>", "<sub>x", "<math><msub><mi>", "<!--", "<script>", '<p "', '<p a="', "</p>",
        "<p a='", "<li>", "<![CDATA[", "<tex-math>", "<title>", "&amp", "<", "<p a=b ", "<p \t ",
        "<math>", "</math>", "<annotation>", "<h1>Abstract", "<td>",
    ],
)  # fmt: skip
def test_hostile_markup_is_read(piece: str) -> None:
    closing = piece.replace("<", "</")
    assert to_text(f"one {piece * 15_000} two {closing * 15_000} <b>three</b>").endswith("three")


tags = st.sampled_from(
    (
        "<p> </p> <sub> </sub> <sup> <math> </math> <msub> </msub> <mi> </mi> <title> </title> "
        "<li> <br/> <!-- --> <script> </script> "
        "<tex-math> </tex-math> <label> </label> &lt; &#1; 1 x <"
    ).split()
)


@given(st.lists(tags).map("".join))
def test_any_markup_has_a_text(source: str) -> None:
    assert isinstance(to_text(source), str)


@given(st.text(alphabet="ab1 .\n\t>;é東$\\"))
def test_text_without_markup_is_left_alone(source: str) -> None:
    assert to_text(source) == source
