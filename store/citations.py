"""Citations of papers as plain text, in a few of the styles that are most in use."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from .names import Name, from_bibtex, natural, parts
from .paper import Paper
from .text import fold

STYLES = {"apa": "APA, 7th edition", "ieee": "IEEE", "acm": "ACM, author and year"}
"""The styles, by the names that are asked for."""

_MONTHS = "Jan. Feb. Mar. Apr. May June July Aug. Sept. Oct. Nov. Dec.".split()
_LONG_MONTHS = ("January February March April May June July August September October November "
                "December").split()  # fmt: skip
_APA_MOST, _IEEE_MOST = 20, 6
_ISO = re.compile(r"(\d{4})(?:-(\d\d)(?:-(\d\d))?)?")
_RANGE = re.compile(r"(?<=\w)\s*-{1,3}\s*(?=\w)")
_ENDS = (".", "?", "!", "…")
_ARTICLES = frozenset(("article-journal", "article-magazine", "article-newspaper", "review"))
_PARTS = frozenset(("chapter", "paper-conference", "entry-encyclopedia", "entry-dictionary"))


def cite(paper: Paper, style: str) -> str:
    """Return the entry of a bibliography for a paper, on one line.

    Args:
        paper: What is not known of it is left out.
        style: One of `STYLES`.

    Raises:
        KeyError: There is no such style.
    """
    return " ".join(_WAYS[style](paper).split())


def mention(paper: Paper, style: str, number: int) -> str:
    """Return what stands in a text for a paper: "(Zhao et al., 2025)", or "[3]".

    Args:
        paper: The paper.
        style: One of `STYLES`.
        number: Its place in the bibliography, counted from 1.
    """
    if style == "ieee":
        return f"[{number}]"
    families = [parts(name).family for name in paper.authors]
    if len(families) > 2 or (families and not paper.authors_complete):
        who = f"{families[0]} et al."
    else:
        who = (" & " if style == "apa" else " and ").join(families) or f"“{_short_title(paper)}”"
    return f"({who}, {_year(paper)})" if style == "apa" else f"[{who} {_year(paper)}]"


def in_order(papers: Iterable[Paper], style: str) -> list[Paper]:
    """Return papers in the order of a bibliography: by authors and year, or as they are cited."""
    papers = list(papers)
    return papers if style == "ieee" else sorted(papers, key=_place)


def address(paper: Paper) -> str:
    """Return where a paper is found: its DOI's address, else its own if it is one of the web."""
    if doi := paper.ids.get("doi"):
        return f"https://doi.org/{doi}"
    link = paper.link or ""
    return link if re.match(r"https?://\S+$", link, re.IGNORECASE) else ""


def _place(paper: Paper) -> tuple[str, str, str]:
    names = " ".join(" ".join(parts(name)[:2]) for name in paper.authors)
    return fold(names or paper.display_title), _year(paper), fold(paper.display_title)


def _apa(paper: Paper) -> str:
    names = [_inverted(parts(name)) for name in paper.authors]
    if len(names) > _APA_MOST and paper.authors_complete:
        who = f"{', '.join(names[: _APA_MOST - 1])}, … {names[-1]}"
    else:
        who = _listed(names, paper, ", & ", ", & ")
    date = f"({_date(paper, _LONG_MONTHS, year_first=True)})."
    details = paper.details
    remarks = [_edition(details["edition"])] if details.get("edition") else []
    if details.get("number") and paper.type in ("report", "standard", "patent"):
        remarks.append(f"No. {details['number']}")
    title = paper.display_title + (f" ({', '.join(remarks)})" if remarks else "")
    if paper.type == "thesis":
        title += f" [{details.get('genre') or 'Thesis'}]"
    head = f"{_stopped(who)} {date} {_stopped(title)}" if who else f"{_stopped(title)} {date}"
    return _sentences(head, _apa_container(paper), _publisher(paper), address(paper))


def _apa_container(paper: Paper) -> str:
    details, venue = paper.details, _container(paper)
    pages = _pages(paper)
    if paper.type in _PARTS and venue:
        editors = [_initialled(parts(name)) for name in _editors(paper)]
        many = "Eds." if len(editors) > 1 else "Ed."
        by = f"{_joined(editors, ' & ', ', & ')} ({many}), " if editors else ""
        volume = f"Vol. {details['volume']}" if details.get("volume") else ""
        inside = ", ".join(filter(None, (volume, _pp(pages, "p. ", "pp. "))))
        return f"In {by}{venue}" + (f" ({inside})" if inside else "")
    volume = details.get("volume", "") + (f"({details['issue']})" if details.get("issue") else "")
    article = details.get("number", "") if paper.type in _ARTICLES and not pages else ""
    return ", ".join(filter(None, (venue, volume, pages, article and f"Article {article}")))


def _ieee(paper: Paper) -> str:
    names = [_initialled(parts(name)) for name in paper.authors]
    if len(names) > _IEEE_MOST or (names and not paper.authors_complete):
        who = f"{names[0]} et al."
    else:
        who = _joined(names, " and ", ", and ")
    details, venue, pages = paper.details, _container(paper), _pages(paper)
    is_whole = not venue and paper.type != "thesis"
    title = paper.display_title.removesuffix(".")
    mark = "" if title.endswith(_ENDS) else ","
    pieces = [
        f"{who}, " if who else "",
        f"{title}{mark}" if is_whole else f"“{title}{mark}”",
    ]
    doi = paper.ids.get("doi")
    rest = (
        f"in {venue}" if paper.type in _PARTS and venue else venue,
        details.get("genre") or "thesis" if paper.type == "thesis" else "",
        _edition(details["edition"]) if details.get("edition") else "",
        _publisher(paper) if paper.type != "article-journal" else "",
        f"vol. {details['volume']}" if details.get("volume") else "",
        f"no. {details['issue']}" if details.get("issue") else "",
        _pp(pages, "p. ", "pp. "),
        f"Art. no. {details['number']}" if details.get("number") and not pages else "",
        _date(paper, _MONTHS, year_first=False),
        f"doi: {doi}" if doi else "",
    )
    text = f"{''.join(pieces)} {', '.join(filter(None, rest))}"
    link = "" if doi else address(paper)
    return _sentences(text, f"[Online]. Available: {link}" if link else "")


def _acm(paper: Paper) -> str:
    who = _listed([natural(name) for name in paper.authors], paper, " and ", ", and ")
    title, year = _stopped(paper.display_title), _stopped(_year(paper))
    head = f"{_stopped(who)} {year} {title}" if who else f"{title} {year}"
    details, venue = paper.details, _container(paper)
    volume = ", ".join(filter(None, (details.get("volume"), details.get("issue"))))
    where = f"In {venue}" if paper.type in _PARTS and venue else venue
    when = f"({_year(paper)})" if paper.type in _ARTICLES and volume else ""
    where = " ".join(filter(None, (where, volume, when)))
    where = ", ".join(filter(None, (where, _pages(paper) or details.get("number"))))
    kind = details.get("genre") or "Thesis" if paper.type == "thesis" else ""
    return _sentences(head, kind, where, _publisher(paper), address(paper))


_WAYS: dict[str, Callable[[Paper], str]] = {"apa": _apa, "ieee": _ieee, "acm": _acm}


def _inverted(name: Name) -> str:
    """Return a name family first, with initials."""
    if name.literal or not name.given:
        return _whole(name)
    return ", ".join(filter(None, (name.family, _initials(name.given), name.suffix)))


def _initialled(name: Name) -> str:
    """Return a name given name first, as initials."""
    if name.literal or not name.given:
        return _whole(name)
    return " ".join(filter(None, (_initials(name.given), name.family, name.suffix)))


def _whole(name: Name) -> str:
    """Return a name of one part, with its suffix."""
    return f"{name.family} {name.suffix}".strip()


def _initials(given: str) -> str:
    """Return the initials of given names: "L. M.", "J.-P."; of two letters as in "TJ" both."""
    words = given.replace(".", ". ").replace(". -", ".-").split()
    if len(words) == 1 and 2 <= len(given) <= 3 and given.isalpha() and given.isupper():
        words = list(given)
    return " ".join(
        "-".join(f"{part[0]}." for part in re.split("[-‐]", word) if part.strip(".")) or word
        for word in words
        if word.strip(".")
    )


def _joined(names: Sequence[str], two: str, last: str) -> str:
    if len(names) <= 2:
        return two.join(names)
    return f"{', '.join(names[:-1])}{last}{names[-1]}"


def _listed(names: Sequence[str], paper: Paper, two: str, last: str) -> str:
    if names and not paper.authors_complete:
        return f"{', '.join(names)}, et al."
    return _joined(names, two, last)


def _editors(paper: Paper) -> tuple[str, ...]:
    told = paper.details.get("editor")
    return from_bibtex(told)[0] if told else ()


def _container(paper: Paper) -> str:
    """Return what a paper stands in; a preprint in arXiv, if nowhere else."""
    venue = paper.venue or ""
    is_part = paper.type in _ARTICLES | _PARTS or paper.type in (None, "article")
    if not is_part and venue == paper.details.get("publisher", venue):
        return ""  # it came out by itself: its venue is who published it
    arxiv = paper.ids.get("arxiv")
    if arxiv and (not venue or venue.lower() in ("arxiv", "arxiv.org", "corr")):
        return f"arXiv:{arxiv}"
    return venue


def _publisher(paper: Paper) -> str:
    publisher = paper.details.get("publisher") or ("" if _container(paper) else paper.venue) or ""
    return "" if paper.type in _ARTICLES or publisher == _container(paper) else publisher


def _pages(paper: Paper) -> str:
    return _RANGE.sub("–", paper.details.get("page", ""))


def _pp(pages: str, one: str, many: str) -> str:
    return f"{many if re.search('[–,]', pages) else one}{pages}" if pages else ""


def _edition(text: str) -> str:
    if not text.isdecimal():
        return text if re.search(r"\bed", text, re.IGNORECASE) else f"{text} ed."
    ending = {"1": "st", "2": "nd", "3": "rd"}.get(text[-1], "th")
    return f"{text}{'th' if text[-2:] in ('11', '12', '13') else ending} ed."


def _year(paper: Paper) -> str:
    return str(paper.year or paper.date or "n.d.")


def _date(paper: Paper, months: Sequence[str], *, year_first: bool) -> str:
    """Return the date as far as it is known; for APA the year goes before month and day.

    Journals and books are cited with the year alone where the year comes first.
    """
    found = _ISO.fullmatch(paper.date or "")
    to_the_day = paper.type in ("article-magazine", "article-newspaper", "webpage", "post-weblog")
    if not found or not found[2] or (year_first and not to_the_day):
        return _year(paper) if found or paper.year or not paper.date else paper.date
    month = months[int(found[2]) - 1] if 1 <= int(found[2]) <= 12 else ""
    if not month:
        return found[1]
    if year_first:
        return f"{found[1]}, {month}" + (f" {int(found[3])}" if found[3] else "")
    return f"{month} {found[1]}"


def _short_title(paper: Paper) -> str:
    words = paper.display_title.strip("“”").split()
    return " ".join(words[:4]) + ("…" if len(words) > 4 else "")


def _stopped(text: str) -> str:
    return text if not text or text.endswith(_ENDS) or text.endswith("”") else f"{text}."


def _sentences(*texts: str | None) -> str:
    """Join texts, each with a full stop behind it unless it is an address."""
    return " ".join(
        text if re.search(r"https?://\S+$", text) else _stopped(text) for text in texts if text
    )
