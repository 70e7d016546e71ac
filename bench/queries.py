"""What the benches ask: the queries of `bench/queries.txt`, and what is typed key by key."""

from __future__ import annotations

import re

QUERIES = """\
training | model | learning | memory | transformer | bottleneck | quantization | latency | cache
speculative | dram | bielefeld | zzyzx
memory bottleneck | training model | attention latency | gpu bandwidth | learning data model
memory OR bottleneck | cache OR bandwidth OR latency OR gpu | model OR training
"machine translation" | "large language models" | "attention mechanism" | "memory footprint"
"neural networks"
mem* | quantiz* | tr* | bottle* | m*
title:memory | title:translation | title:quantization
memry~ | quantisation~ | bottlneck~
(memory OR cache) attention -graph | title:translation (bleu OR human) -speech | memory bott*"""
ASKED = [query.strip() for query in re.split(r"[|\n]", QUERIES)]
"""Finished queries, in the language of Anchorlight."""

TYPED = ("memory bottleneck", "me", "m", "training")

KEYS = [typed[:count] for typed in TYPED for count in range(1, len(typed) + 1)]
"""What stands in the box after each key."""

_PARTS = re.compile(r'[(]|[)]|OR\b|-?(?:\w+:)?(?:"[^"]*"|[^\s()"]+)')


def translated(query: str, *, typing: bool = False, fuzzy: bool = False) -> str | None:
    """Return a query in the language that SQLite's FTS5 and Whoosh share.

    Args:
        query: The query, one of those here.
        typing: Whether its last word is a beginning, unless a blank follows it.
        fuzzy: Whether the language has words with a letter that is wrong.

    Returns:
        None where the language cannot say it.
    """
    if "~" in query and not fuzzy:
        return None
    said: list[str] = []
    for part in _PARTS.findall(query):
        if said and part[0] == "-":
            said.append("NOT")
        elif said and part not in (")", "OR") and said[-1] not in ("(", "OR"):
            said.append("AND")
        said.append(part.removeprefix("-"))
    if typing and query[-1].isalpha():
        said[-1] += "*"
    return " ".join(said)


def plain(query: str) -> list[str] | None:
    """Return the strings that all stand in what a query finds; None where it is not so simple."""
    if re.search(r"OR|[:~()]", query):
        return None
    phrases = re.findall(r'"([^"]*)"', query)
    return phrases or query.replace("*", "").split()
