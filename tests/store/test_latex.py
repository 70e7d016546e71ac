from __future__ import annotations

from pathlib import Path

import pytest
from anchorlight.store.latex import to_text
from hypothesis import given
from hypothesis import strategies as st


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (r"na\"{i}ve", "naïve"),
        (r"na{\"\i}ve", "naïve"),
        (r"na\"\i ve", "naïve"),
        (r"M\"uller", "Müller"),
        (r"{\'e}tude", "étude"),
        (r"Garc{\'{\i}}a, Garc\'ia, Garc\'{\i}a", "García, García, García"),
        (r"Erd\H{o}s, Erd{\H{o}}s, Erd{\H o}s", "Erdős, Erdős, Erdős"),
        (r"Ho{\v r}ava and \v{S}koda, \k a", "Hořava and Škoda, ą"),
        (r"{\v{Z}}i\v zek", "Žižek"),
        (r"Nguy{\~{\^e}}n", "Nguyễn"),
        (r"fa\c{c}ade", "façade"),
        (r"{\L}ukasiewicz", "Łukasiewicz"),
        (r"Stra{\ss}e, S{\o}ren, \AA ngstr\"om", "Straße, Søren, Ångström"),
        (r"\'{王}, \'{}, \~{}, \"{abc}", "王, ', ~, äbc"),
        (r"95\% of A\&B, item\_1, \#1, \{x\}", "95% of A&B, item_1, #1, {x}"),
        (r"costs \$5", "costs $5"),
        (r"costs \$5 or \$6", "costs $5 or $6"),
        ("pages 3--7, and --- so", "pages 3–7, and — so"),
        ("$L^p$--$L^q$, {A}--{B}", "Lᵖ–$L^q$, {A}–{B}"),
        ("``so'' and A.~Smith, Fig.~3, Sec~\\ref{x}", "“so” and A. Smith, Fig. 3, Sec \\ref{x}"),
        (r"soft\-ware, shelf\/ful, one\\two, a\newline b, J.\,S.",
         "software, shelfful, one two, a  b, J. S."),
        (r"\emph{a} \textit{\textbf{b}} {\em c d} {\it e} \textsc {f} \mbox{g} \text{h}",
         "a b c d e f g h"),
        (r"\textsuperscript{2}, 5\textsuperscript{th}, CO\textsubscript{2}", "², 5th, CO₂"),
        (r"\url{http://x.org/~a_b\%20}, \href{http://x.org/#a}{the \emph{text}}",
         "http://x.org/~a_b%20, the text"),
        (r"A \textendash{} B, \textregistered, \texttrademark, \copyright{} 2, \S 3, \LaTeX{} \TeX",
         "A – B, ®, ™, © 2, § 3, LaTeX TeX"),
        (r"19\textendash 37, a \textendash b", "19–37, a – b"),
        (r"In\textsubscript{x}Ga\textsubscript{1-x}N, GaN$\slash$AlN", "InₓGa₁₋ₓN, GaN/AlN"),
        (r"\alpha-stable", "α-stable"),
        (r"\enquote{so}", "“so”"),
        ("state-of-the-art", "state-of-the-art"),
    ],
)  # fmt: skip
def test_latex_becomes_the_text_it_stands_for(source: str, text: str) -> None:
    assert to_text(source) == text


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("$O(n^2)$", "O(n²)"),
        (r"the $O(n \log n)$ bound", "the O(n log n) bound"),
        (r"$\alpha$-stable", "α-stable"),
        ("$x_1$ and $x_{i}^{2}$", "x₁ and xᵢ²"),
        (r"$\mathcal{O}(\log n)$", "O(log n)"),
        (r"2$\times$ faster, $a\leq b$, $a \leq b$", "2× faster, a≤b, a ≤ b"),
        (r"$\mathbb{R}^d$", "ℝᵈ"),
        (r"$\mathbb{E}[x]_{+}$", "𝔼[x]₊"),
        ("CO$_2$, $^{13}$C, 10$^{-3}$, 5$^{th}$, 90$^\\circ$", "CO₂, ¹³C, 10⁻³, 5th, 90°"),
        (r"$\frac{1}{a+b}$, $\sqrt{2}$, $\sqrt[3]{ab}$", "1/(a+b), √2, ³√ab"),
        (r"$\hat{x}$, $\bar{\theta}$", "x̂, θ̄"),
        (r"\(x^2\) and \[y_0\]", "x² and y₀"),
        (r"$\text{if } x = 1$", "if x = 1"),
        (r"$ \beta $", "β"),
        (r"$\left(x\right)$, $f'$, $50\%$", "(x), f′, 50%"),
        ("$n$ and $SU(2)$", "n and SU(2)"),
        (r"$$x^2$$", "x²"),
    ],
)
def test_a_formula_becomes_unicode(source: str, text: str) -> None:
    assert to_text(source) == text
    assert to_text(source, braces=True) == text


@pytest.mark.parametrize(
    "source",
    [
        r"$x^Q$ and $\unknown{x}$, $\begin{matrix} a & b \end{matrix}$",
        r"$x_{\text{MAX}}$ and $\hat{xyz}$, $a^{$",
        "costs $5 and $10, or $5-$10, US$5 or US$10, $5 million to $10 million",
        "from $5 to 10$ a piece",
        r"Escaped \[x] and [[double]]",
        r"\unknown{command} and \cite[1]{key}",
        "--flag and end--, ----",
        "plain [SEP] 100% #1 a_b R&D ~5% and 10~20, f''(x)",
        "{braces} stay, {so} }do{ these",
        r"\"quoted\" and C:\xyz\1",
        r"\emph and \emph{never closed",
    ],
)
def test_what_is_not_certain_stays_as_written(source: str) -> None:
    assert to_text(source) == source


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("{{Double}} {B}races and {in{n}er}", "Double Braces and inner"),
        (r"{\relax Ch}ristina {\noopsort{1973b}}1973", "Christina 1973"),
        (r"\unknown{Command}{M\"u} {x}", r"\unknown{Command}{Mü} x"),
        (r"What is 50% of {R&D} \{x\}?", "What is 50% of R&D {x}?"),
        ("{A}--{B} 10~20", "A–B 10 20"),
        ("{never closed", "{never closed"),
    ],
)
def test_braces_of_bibtex_only_group(source: str, text: str) -> None:
    assert to_text(source, braces=True) == text


def test_the_cases_known_from_other_programs_are_read(shared: Path) -> None:
    folder = shared / "cases" / "H06-latex-to-text"
    sources = [
        line.split("title = {", 1)[1].rsplit("}, year", 1)[0]
        for line in (folder / "accents.bib").read_text("utf-8").splitlines()
    ]
    expected = [
        line.split("\t")[2] for line in (folder / "expected.tsv").read_text("utf-8").splitlines()
    ]
    assert [" ".join(to_text(source, braces=True).split()) for source in sources] == expected


@pytest.mark.parametrize(
    "piece",
    ["{", "}", "{}", "$", "\\", "\\'", "\\'{", "\\emph{", "\\(", "$x", "\\v ", "~", "`", "--",
     "\\href{", "$\\", "\\unknown{", "\\[", "{\\em ", "$$"],
)  # fmt: skip
def test_hostile_latex_is_read(piece: str) -> None:
    source = f"one {piece * 50_000} two {'}' * 50_000} three"
    assert to_text(source).endswith("three")
    assert to_text(source, braces=True).endswith("three")


@given(st.text(alphabet="\\\"'`^~=.uvHcdbkroOilL{}$%&_# \n-asemph()[]"), st.booleans())
def test_any_source_has_a_text(source: str, braces: bool) -> None:
    assert isinstance(to_text(source, braces=braces), str)


@given(st.text(alphabet="abc [](){}%&_#^é東-", max_size=40).filter(lambda text: "--" not in text))
def test_text_without_latex_is_left_alone(source: str) -> None:
    assert to_text(source) == source
