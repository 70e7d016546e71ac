"""Formulas in LaTeX as one line of Unicode, where every part of them has a character."""

from __future__ import annotations

import re
import unicodedata

from .scripts import grouped, subscript, superscript

SYMBOLS = dict(
    pair.split()
    for pair in r"""
    alpha α;beta β;gamma γ;delta δ;epsilon ε;varepsilon ε;zeta ζ;eta η;theta θ;vartheta ϑ;iota ι
    kappa κ;lambda λ;mu μ;nu ν;xi ξ;omicron ο;pi π;varpi ϖ;rho ρ;varrho ϱ;sigma σ;varsigma ς;tau τ
    upsilon υ;phi φ;varphi φ;chi χ;psi ψ;omega ω;Gamma Γ;Delta Δ;Theta Θ;Lambda Λ;Xi Ξ;Pi Π;Sigma Σ
    Upsilon Υ;Phi Φ;Psi Ψ;Omega Ω;ell ℓ;hbar ℏ;Re ℜ;Im ℑ;aleph ℵ;partial ∂;nabla ∇;infty ∞;prime ′
    emptyset ∅;varnothing ∅;forall ∀;exists ∃;neg ¬;lnot ¬;top ⊤;bot ⊥;angle ∠;triangle △;square □
    star ⋆;ast ∗;circ ∘;bullet •;cdot ·;cdots ⋯;ldots …;dots …;vdots ⋮;dagger †;ddagger ‡;degree °
    sum ∑;prod ∏;int ∫;oint ∮;surd √;checkmark ✓;langle ⟨;rangle ⟩;lfloor ⌊;rfloor ⌋;lceil ⌈
    rceil ⌉;lvert |;rvert |;vert |;mid |;lVert ‖;rVert ‖;Vert ‖
    slash /;backslash \;lbrace {;rbrace }
    """.replace("\n", ";").split(";")
    if pair.strip()
)
"""What commands of LaTeX stand for that are letters or signs without blanks around them."""

RELATIONS = dict(
    pair.split()
    for pair in """
    times ×;div ÷;pm ±;mp ∓;leq ≤;le ≤;geq ≥;ge ≥;neq ≠;ne ≠;approx ≈;sim ∼;simeq ≃;cong ≅;equiv ≡
    propto ∝;ll ≪;gg ≫;lesssim ≲;gtrsim ≳;leqslant ≤;geqslant ≥;prec ≺;succ ≻;in ∈;notin ∉;ni ∋
    subset ⊂;supset ⊃;subseteq ⊆;supseteq ⊇;cup ∪;cap ∩;setminus ∖;wedge ∧;vee ∨;land ∧;lor ∨
    oplus ⊕;otimes ⊗;odot ⊙;perp ⊥;parallel ∥;to →;rightarrow →;longrightarrow →;leftarrow ←;gets ←
    leftrightarrow ↔;Rightarrow ⇒;Leftarrow ⇐;Leftrightarrow ⇔;iff ⇔;implies ⇒;mapsto ↦;uparrow ↑
    downarrow ↓;lt <;gt >;colon :;bigcup ⋃;bigcap ⋂;models ⊨;vdash ⊢
    """.replace("\n", ";").split(";")
    if pair.strip()
)
"""What commands stand for that are written with a blank on either side, or with none."""

MARKS = {
    "hat": "\u0302", "widehat": "\u0302", "bar": "\u0304", "overline": "\u0304", "dot": "\u0307",
    "tilde": "\u0303", "widetilde": "\u0303", "vec": "\u20d7", "ddot": "\u0308", "acute": "\u0301",
    "grave": "\u0300", "check": "\u030c", "breve": "\u0306", "mathring": "\u030a",
}  # fmt: skip

_FUNCTIONS = frozenset(
    "log ln lg exp sin cos tan cot sec csc sinh cosh tanh arcsin arccos arctan max min sup inf lim "
    "limsup liminf arg argmax argmin det dim ker deg gcd Pr mod bmod hom".split()
)
_TEXTS = frozenset("text textrm textit textbf textsf texttt mbox hbox textnormal".split())
_STYLES = frozenset(
    "mathrm mathbf mathit mathsf mathtt mathcal mathscr mathfrak boldsymbol bm pmb mathnormal "
    "ensuremath mathop mathbin mathrel".split()
)
_NOTHING = frozenset(
    "left right big Big bigg Bigg bigl bigr Bigl Bigr biggl biggr displaystyle textstyle limits "
    "rm it bf cal sf nolimits scriptstyle middle".split()
)
_SPACES = frozenset(r"\, \; \: \> \quad \qquad".split()) | {"\\ "}
_SIGNS = {rf"\{sign}": sign for sign in "{}%$#&_"} | {r"\|": "‖", r"\!": "", r"\/": "", r"\-": ""}
_DOUBLE = dict(zip("CHNPQRZ", "ℂℍℕℙℚℝℤ", strict=True))
_TOKEN = re.compile(r"\\([A-Za-z]+)\s*|\\.|\s+|.", re.DOTALL)
_WORDS = re.compile(r"\{([^{}\\$]*)\}")
_INDEX = re.compile(r"\s*\[([^][{}\\]*)\]")
_AS_THEY_ARE = frozenset("′ † ‡ * ∗ ⋆".split())
_PROSE = re.compile(r"(?<![\\a-zA-Z{])[a-z]{3,}\s|\s[a-z]{3,}\b(?!\})")
_DEEPEST = 30


class _NotToldError(Exception):
    """A part of a formula has no character, or is not known."""


def formula_to_text(formula: str) -> str | None:
    r"""Return a formula, without its delimiters, in Unicode; None where this cannot be done.

    "n^2" is "n²", "\alpha" is "α", "\frac{a}{b}" is "a/b".
    """
    if formula.count("{") > _DEEPEST or formula.count("\\") > 200 or _PROSE.search(formula):
        return None
    try:
        return _Formula(formula).text()
    except _NotToldError:
        return None


class _Formula:
    def __init__(self, source: str) -> None:
        self._source = source
        self._place = 0

    def text(self) -> str:
        text = self._sequence("")
        if not text:
            raise _NotToldError
        return text

    def _next(self) -> re.Match[str]:
        token = _TOKEN.match(self._source, self._place)
        if not token:
            raise _NotToldError  # an argument is missing
        self._place = token.end()
        return token

    def _sequence(self, end: str) -> str:
        written = ""
        while self._place < len(self._source):
            token = self._next()
            sign = token[0]
            if sign == end:
                return written.strip()
            if sign in ("^", "_"):
                written = written.rstrip() + self._script(sign, written)
            elif sign.isspace() or sign == "~" or sign in _SPACES or token[1] in ("quad", "qquad"):
                written = written.rstrip() + " "
            elif token[1] in RELATIONS:
                spaced = written.endswith(" ") and sign[-1].isspace()
                written += RELATIONS[token[1]] + (" " if spaced else "")
            elif token[1] in _FUNCTIONS or token[1] == "operatorname":
                written = self._with_function(written, token[1])
            else:
                written += self._atom(token)
        if end:
            raise _NotToldError
        return written.strip()

    def _with_function(self, written: str, name: str) -> str:
        name = name if name in _FUNCTIONS else self._argument()
        before = " " if written[-1:].isalnum() else ""
        after = " " if self._source[self._place : self._place + 1].isalnum() else ""
        if self._source.startswith("\\", self._place) and not self._source.startswith(
            ("\\left", "\\big", "\\Big", "\\{", "\\|"), self._place
        ):
            after = " "
        return written + before + name + after

    def _argument(self) -> str:
        token = self._next()
        while token[0].isspace():
            token = self._next()
        if token[1] in RELATIONS:
            return RELATIONS[token[1]]
        return self._atom(token)

    def _atom(self, token: re.Match[str]) -> str:
        sign, name = token[0], token[1]
        if sign == "{":
            return self._sequence("}")
        if name:
            return self._command(name)
        if sign in _SIGNS:
            return _SIGNS[sign]
        if sign[0] == "\\" or sign in "}&^_$%#":
            raise _NotToldError
        return "′" if sign == "'" else sign

    def _command(self, name: str) -> str:
        if name in SYMBOLS:
            return SYMBOLS[name]
        if name in _NOTHING:
            return ""
        if name in _TEXTS and (words := _WORDS.match(self._source, self._place)):
            self._place = words.end()
            return words[1]
        if name in _STYLES:
            return self._argument()
        if name == "mathbb":
            return "".join(map(_double_struck, self._argument()))
        if name in MARKS:
            base = self._argument()
            if len(base) != 1:
                raise _NotToldError
            return unicodedata.normalize("NFC", base + MARKS[name])
        if name in ("frac", "tfrac", "dfrac"):
            over = self._argument()
            return f"{grouped(over)}/{grouped(self._argument())}"
        if name == "sqrt":
            index = _INDEX.match(self._source, self._place)
            if index:
                self._place = index.end()
            raised = superscript(index[1]) if index else ""
            if raised is None:
                raise _NotToldError
            return f"{raised}√{grouped(self._argument())}"
        raise _NotToldError

    def _script(self, sign: str, base: str) -> str:
        text = self._argument()
        if sign == "_":
            turned = subscript(text.replace(" ", ""))
        elif text in ("∘", "°"):
            return "°"
        elif text in _AS_THEY_ARE or (
            text in ("th", "st", "nd", "rd") and (not base or base[-1:].isdigit())
        ):
            return text
        else:
            turned = superscript(text.replace(" ", "").replace("⊤", "T"))
        if turned is None:
            raise _NotToldError
        return turned


def _double_struck(letter: str) -> str:
    if letter in _DOUBLE:
        return _DOUBLE[letter]
    if letter.isascii() and letter.isupper():
        return chr(0x1D538 + ord(letter) - ord("A"))
    if letter.isascii() and letter.islower():
        return chr(0x1D552 + ord(letter) - ord("a"))
    if letter.isascii() and letter.isdigit():
        return chr(0x1D7D8 + int(letter))
    raise _NotToldError
