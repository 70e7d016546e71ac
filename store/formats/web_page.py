"""Web pages that were saved in place of papers: a login, an error, "too many requests"."""

from __future__ import annotations

import re

from ..text import clean_line
from .found import RefusedError

_PAGE = re.compile(r"\s*(?:<\?xml[^>]{0,200}>\s*)?(?:<!--.{0,2000}?-->\s*)?<(?:!doctype\s+)?html\b",
                   re.IGNORECASE | re.DOTALL)  # fmt: skip
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{1,200})</title", re.IGNORECASE)


def refuse_web_page(head: str) -> None:
    """Say that a file is a web page, if it is one that begins like this.

    Raises:
        RefusedError: It is.
    """
    if not _PAGE.match(head):
        return
    found = _TITLE.search(head)
    title = clean_line(found[1])[:80] if found else ""
    raise RefusedError(
        f"this is a web page{f' (“{title}”)' if title else ''}, not a list of papers"
    )
