r"""LaTeX in titles, names and abstracts (`na\"{i}ve`, `95\%`, `$n^2$`) becomes readable Unicode.

Only what is certain is turned. Every command that is not listed, and every formula that Unicode has
no characters for, stay as written, since a guess would lose the author's words.
"""

from __future__ import annotations

import re
import unicodedata

from .latex_math import RELATIONS, SYMBOLS, formula_to_text
from .scripts import written_script

_ACCENTS = {
    '"': "\u0308", "'": "\u0301", "`": "\u0300", "^": "\u0302", "~": "\u0303", "=": "\u0304",
    ".": "\u0307", "u": "\u0306", "v": "\u030c", "H": "\u030b", "c": "\u0327", "d": "\u0323",
    "b": "\u0331", "k": "\u0328", "r": "\u030a", "t": "\u0361", "G": "\u030f", "h": "\u0309",
}  # fmt: skip
_LETTERS = {
    "ss": "ß", "SS": "ẞ", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "o": "ø", "O": "Ø",
    "l": "ł", "L": "Ł", "aa": "å", "AA": "Å", "i": "ı", "j": "ȷ", "dh": "ð", "DH": "Ð",
    "th": "þ", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ", "ij": "ij", "IJ": "IJ",
}  # fmt: skip
_SYMBOLS = {
    **SYMBOLS, **RELATIONS, "textendash": "–", "textemdash": "—", "textregistered": "®",
    "texttrademark": "™", "textcopyright": "©", "copyright": "©", "LaTeX": "LaTeX", "TeX": "TeX",
    "LaTeXe": "LaTeX2ε", "BibTeX": "BibTeX", "S": "§", "P": "¶", "pounds": "£", "euro": "€",
    "texteuro": "€", "textsterling": "£", "textyen": "¥", "textdollar": "$", "textcent": "¢",
    "textellipsis": "…", "textbullet": "•", "textdegree": "°", "textmu": "µ", "textperiodcentered":
    "·", "textasciitilde": "~", "textasciicircum": "^", "textbackslash": "\\", "textbar": "|",
    "textunderscore": "_", "textbraceleft": "{", "textbraceright": "}", "textless": "<",
    "textgreater": ">", "textquotedblleft": "“", "textquotedblright": "”", "textquoteleft": "‘",
    "textquoteright": "’", "textquotesingle": "'", "textquotedbl": '"', "guillemotleft": "«",
    "guillemotright": "»", "guilsinglleft": "‹", "guilsinglright": "›", "quotedblbase": "„",
    "quotesinglbase": "‚", "glqq": "„", "grqq": "“", "flqq": "«", "frqq": "»", "lq": "‘", "rq":
    "’", "textonehalf": "½", "textonequarter": "¼", "textthreequarters": "¾", "texttimes": "×",
    "textdiv": "÷", "textpm": "±", "textordfeminine": "ª", "textordmasculine": "º", "textsection":
    "§", "textparagraph": "¶", "textdagger": "†", "textdaggerdbl": "‡", "textexclamdown": "¡",
    "textquestiondown": "¿", "dag": "†", "ddag": "‡", "textalpha": "α", "textbeta": "β",
    "textgamma": "γ", "slash": "/", "newline": " ", "space": " ", "quad": " ", "qquad": " ",
    "cprime": "ʹ", "textnumero": "№", "textminus": "−", "textapprox": "≈", "textasciimacron": "¯",
    "newblock": " ", "textrightarrow": "→", "textleftarrow": "←", "texttwosuperior": "²",
    "textthreesuperior": "³", "textonesuperior": "¹", "allowbreak": "", "ignorespaces": "",
    "relax": "", "protect": "", "noindent": "", "textcompwordmark": "", "nobreak": "",
    "textasciigrave": "`",
}  # fmt: skip
_SIGNS = {
    **{sign: sign for sign in "&%_#${}"},
    **dict.fromkeys("-/!@*", ""),
    **dict.fromkeys(",;:> \n\t\\", " "),
}
_UNWRAPPED = frozenset(
    "emph textit textbf textsc texttt textrm textsf textmd textup textsl textnormal underline "
    "uline mbox text hbox fbox nohyphens uppercase lowercase MakeUppercase MakeLowercase natexlab "
    "textlf textln mathrm mathit mathbf".split()
)
_DASHES = frozenset(("textendash", "textemdash"))
"""Commands with a blank that only ends their name, unless there is one before them, too."""
_KINDS = {
    **dict.fromkeys(_UNWRAPPED, "unwrap"),
    **dict.fromkeys(("enquote", "mkbibquote", "textquote"), "quote"),
    "textsuperscript": "superscript",
    "textsubscript": "subscript",
}
"""What becomes of the argument of a command."""
_ADDRESSES = frozenset(("url", "path", "href", "ensuremath"))
_SORTING = frozenset(("noopsort", "SortNoop", "noop", "nosort"))
"""Commands that print nothing: their argument is there for the order of entries."""
_SWITCHES = frozenset(
    "em it bf sc tt rm sf sl itshape bfseries scshape ttfamily rmfamily sffamily upshape slshape "
    "normalfont small footnotesize scriptsize large relax protect boldmath".split()
)

_HINT = re.compile(r"[\\$~]|--|``")
_HINT_BRACED = re.compile(r"[\\$~{}]|--|``")
_TOKEN = re.compile(r"\\([A-Za-z]+)|\\(.)|[{}~$]|-{2,}|``|''", re.DOTALL)
_FORMULA = re.compile(
    r"\$\$((?:[^$\\]|\\.){1,1000})\$\$|\$((?:[^$\\]|\\.){1,1000})\$"
    r"|\\\(((?:[^\\]|\\[^()]){1,1000})\\\)|\\\[((?:[^\\]|\\[^][]){1,1000})\\\]",
    re.DOTALL,
)
_MONEY = re.compile(r"\$\d[\d.,]*\s?(?:[kKmMbB]|bn|million|billion|thousand|per)?\b[^\\^_=+]*\$")
_BASE = re.compile(
    rf"\s*(?:\\({'|'.join(sorted(_LETTERS, key=len, reverse=True))})(?![A-Za-z])(?:\{{\}}|\s?)"
    r"|([^\W\d_]))"
)
_OPENING = re.compile(r"\s*\{")
_ADDRESS = re.compile(r"\s*\{([^{}]*)\}")
_AFTER_LETTER = re.compile(r"\{\}|\s?")
_LONG = 40
"""Pieces of text beyond which the argument of a command is left as it is."""


def to_text(source: str, *, braces: bool = False) -> str:
    r"""Return source with its LaTeX as Unicode; text without any comes back as it is.

    Args:
        source: Running text, or the value of a BibTeX field.
        braces: Whether braces only group, as they do in BibTeX: they are left out. Otherwise those
            that belong to no command stay.

    Formulas (`$…$`, `\(…\)`) become Unicode as a whole, or stay as typed, with their dollar signs;
    an amount of money is no formula.
    """
    if not (_HINT_BRACED if braces else _HINT).search(source):
        return source
    return _Reader(source, braces=braces).read()


class _Group:
    """What an opening brace begins."""

    __slots__ = ("argument", "command", "pieces", "start", "switched")

    def __init__(self, start: int, command: str = "", argument: str = "") -> None:
        self.start = start
        """Where in the output its opening stands, as it was written."""
        self.command = command
        """What is done at its end: "" for a mere group."""
        self.argument = argument
        self.pieces = 0
        """How much it holds; a command counts 1, any text 2."""
        self.switched = False


class _Reader:
    """Writes the text of one source, token after token."""

    def __init__(self, source: str, *, braces: bool) -> None:
        self._source = source
        self._braces = braces
        self._written: list[str] = []
        self._groups = [_Group(0)]
        self._place = 0
        self._quotes = 0

    def read(self) -> str:
        """Return the text."""
        source = self._source
        while token := _TOKEN.search(source, self._place):
            if token.start() > self._place:
                self._text(source[self._place : token.start()])
            self._place = token.end()
            if token[1]:
                self._command(token[1], token[0])
            elif token[2]:
                self._sign(token[2], token[0])
            else:
                self._mark(token[0], token.start())
        self._text(source[self._place :])
        return "".join(self._written)

    def _text(self, text: str) -> None:
        if text:
            self._written.append(text)
            self._groups[-1].pieces += 2

    def _turned(self, text: str) -> None:
        self._written.append(text)
        self._groups[-1].pieces += 1

    def _open(self, opening: str, command: str = "", argument: str = "") -> None:
        self._groups[-1].pieces += 1 if command else 2
        self._groups.append(_Group(len(self._written), command, argument))
        self._written.append(opening)

    def _opens(self, written: str, command: str, argument: str = "") -> bool:
        """Begin the argument of a command if it is in braces, and tell whether it is."""
        if not (found := _OPENING.match(self._source, self._place)):
            return False
        self._place = found.end()
        self._open(written + found[0], command, argument)
        return True

    def _close(self) -> None:
        if len(self._groups) == 1:
            self._text("}")
            return
        group = self._groups.pop()
        if group.command == "unknown":
            self._written.append("}")
            if self._source.startswith("{", self._place):
                self._opens("", "unknown")  # its next argument
            return
        if not group.command:
            if self._braces or group.switched or group.pieces == 1:
                self._written[group.start] = ""
            else:
                self._written.append("}")
            return
        self._written[group.start] = ""
        if group.command == "quote":
            self._written[group.start] = "“"
            self._written.append("”")
        elif group.command != "unwrap" and len(self._written) - group.start <= _LONG:
            content = "".join(self._written[group.start :])
            self._written[group.start :] = [_applied(group, content)]

    def _command(self, name: str, written: str) -> None:
        if name in _LETTERS:
            self._turned(_LETTERS[name])
            if found := _AFTER_LETTER.match(self._source, self._place):
                self._place = found.end()
        elif name in _SWITCHES and not self._groups[-1].pieces and len(self._groups) > 1:
            self._groups[-1].switched = True
            self._place += len(self._source[self._place : self._place + 1].strip()) == 0
        elif name in _SYMBOLS:
            self._turned(_SYMBOLS[name])
            before, after = self._around(self._place - len(written), self._place)
            if self._source.startswith("{}", self._place):
                self._place += 2
            elif name in _DASHES and after == " " and not before.isspace():  # 19\textendash 37
                self._place += 1
        elif not self._argument(name, written):
            self._text(written)

    def _argument(self, name: str, written: str) -> bool:
        """Take a command with its argument, or the beginning of one; tell if there is one."""
        if name in _ACCENTS and self._accent(name, written):
            return True
        if name in _ADDRESSES or name in _SORTING:
            return self._address(name) or self._opens(written, "unknown")
        return self._opens(written, _KINDS.get(name, "unknown"))

    def _address(self, name: str) -> bool:
        r"""Take \url, \href and what is there for sorting only."""
        found = _ADDRESS.match(self._source, self._place)
        if not found:
            return False
        if name == "ensuremath":
            text = formula_to_text(found[1])
            if text is None:
                return False
            self._turned(text)
        elif name == "href":
            if not (following := _OPENING.match(self._source, found.end())):
                return False
            self._place = following.end()
            self._open(rf"\href{found[0]}{following[0]}", "unwrap")
            return True
        elif name not in _SORTING:
            self._turned(re.sub(r"\\([%&_#$~])", r"\1", found[1]))
        self._place = found.end()
        return True

    def _sign(self, sign: str, written: str) -> None:
        if sign in _ACCENTS and self._accent(sign, written):
            return
        if sign in "([" and self._formula(self._place - 2):
            return
        if sign in _SIGNS:
            self._turned(_SIGNS[sign])
        else:
            self._text(written)

    def _accent(self, accent: str, written: str) -> bool:
        if self._opens(written, "accent", accent):
            return True
        found = _BASE.match(self._source, self._place)
        if not found:
            return False
        if found[2]:
            blank = found.start(2) > self._place
            within = len(self._groups) > 1 and not self._groups[-1].pieces
            if blank != accent.isalpha() and not (blank and within):  # \vs; a" \" b
                return False
        text = _accented(_LETTERS[found[1]] if found[1] else found[2], accent)
        if len(text) > 1 and accent in "\"'" and found[2]:  # \"quoted\", no letter of any language
            return False
        self._turned(text)
        self._place = found.end()
        return True

    def _mark(self, mark: str, start: int) -> None:
        if mark == "{":
            self._open("{")
        elif mark == "}":
            self._close()
        elif mark == "$":
            if not self._formula(start):
                self._text("$")
        elif mark == "~":
            self._text(" " if self._is_tie(start) else "~")
        elif mark == "``":
            self._quotes += 1
            self._text("“")
        elif mark == "''":
            self._text("”" if self._quotes else mark)
            self._quotes = max(0, self._quotes - 1)
        else:
            self._text(self._dash(mark, start))

    def _formula(self, start: int) -> bool:
        """Write the formula that begins there, turned or as it is typed, if one does."""
        found = _FORMULA.match(self._source, start)
        if not found or "\n\n" in found[0]:
            return False
        content = next(filter(None, found.groups()))
        if found[0].startswith("$"):
            marked = any(sign in content for sign in "\\^_")
            blank = content[0].isspace() or content[-1].isspace()
            money = self._source[found.end() : found.end() + 1].isdigit() and not marked
            if (blank and not marked) or money or _MONEY.fullmatch(found[0]):
                return False
        text = formula_to_text(content)
        if text is None:
            self._text(found[0])
        else:
            self._turned(text)
        self._place = found.end()
        return True

    def _around(self, start: int, end: int) -> tuple[str, str]:
        return self._source[start - 1 : start] if start else "", self._source[end : end + 1]

    def _is_tie(self, start: int) -> bool:
        """Tell a hard blank from the sign for "about" (~5) and that for a range (10~20)."""
        before, after = self._around(start, start + 1)
        if before.isdigit() and after.isdigit():
            return self._braces
        return (before.isalnum() or before in tuple(".,;:)}$]'")) and (
            after.isalnum() or after in tuple("\\$({[`")
        )

    def _dash(self, mark: str, start: int) -> str:
        if len(mark) > 3:
            return mark
        before, after = self._around(start, start + len(mark))
        joins = (before.isalnum() or before in tuple("$})")) and (
            after.isalnum() or after in tuple("${(\\")
        )
        if not (joins or self._braces or (before.isspace() and after.isspace())):
            return mark
        return "–" if len(mark) == 2 else "—"


def _applied(group: _Group, content: str) -> str:
    if group.command == "accent":
        return _accented(content, group.argument)
    return written_script(content, above=group.command == "superscript") or content


def _accented(base: str, accent: str) -> str:
    """Return a letter with an accent; what an accent cannot stand on stays as it is."""
    if not base:
        return "" if accent.isalpha() else accent
    if (
        len(base) > 8
        or not base[0].isalpha()
        or not unicodedata.name(base[0], "").startswith(("LATIN", "GREEK", "CYRILLIC"))
    ):
        return base
    letter = {"ı": "i", "ȷ": "j"}.get(base[0], base[0])
    return unicodedata.normalize("NFC", letter + _ACCENTS[accent] + base[1:])
