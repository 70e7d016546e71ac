"""All tables of marks as one file: JSON that plain TinyDB reads, with one document a line.

A document a line makes a file that diffs well, and of which every whole line can still be read
when the rest of it cannot.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from .files import UNREADABLE

Document = dict[str, Any]
Tables = dict[str, dict[str, Document]]

FIELDS: dict[str, dict[str, type]] = {
    "marks": {"status": str, "starred": bool, "tags": list, "changed": str, "at": dict},
    "notes": {"text": str, "changed": str},
    "earlier": {"texts": list},
    "searches": {"query": str, "changed": str},
    "apart": {"apart": bool, "changed": str},
}
"""What the fields of documents are, by table. Of others nothing is known."""

META = "_journal"
"""The table that tells which line of the journal the snapshot holds last."""

_encode = json.JSONEncoder(ensure_ascii=False).encode
_TABLE = re.compile(r'("(?:[^"\\]|\\.)*"): \{')


class Snapshot(NamedTuple):
    """What a file holds.

    Attributes:
        tables: The documents by table and id.
        seq: The number of the last change in them.
        problem: What was wrong with the file, or an empty string; what could be read is here.
    """

    tables: Tables
    seq: int
    problem: str = ""


def encode(tables: Mapping[str, Mapping[str, Document]], seq: int) -> bytes:
    """Return the file of a snapshot. Its number stands first: a file cut short still tells it."""
    parts = []
    for name, documents in ({META: {"1": {"seq": seq}}} | dict(tables)).items():
        lines = (f"{_encode(id_)}: {_encode(document)}" for id_, document in documents.items())
        parts.append(f"{_encode(name)}: {{\n" + ",\n".join(lines) + "\n}")
    # What no text can hold is told as an escape, which JSON has as well.
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode("utf-8", "backslashreplace")


def decode(data: bytes) -> Snapshot:
    """Return what a file holds, damaged or not. Never raises."""
    try:
        tables, problem = json.loads(data), ""
    except UNREADABLE as error:
        tables, problem = _salvaged(data), str(error) or type(error).__name__
    if not isinstance(tables, dict):
        return Snapshot({}, 0, f"it holds no tables but {json.dumps(tables)[:20]}")
    seq = 0
    try:
        seq = int(tables.pop(META, {"1": {"seq": 0}})["1"]["seq"])
    except UNREADABLE:
        problem = problem or "its number is none"
    whole: Tables = {}
    for name, documents in tables.items():
        if not isinstance(documents, dict):
            problem = problem or f"its table “{name}” is none"
            continue
        whole[name] = documents
        if not all(isinstance(document, dict) for document in documents.values()):
            problem = problem or f"its table “{name}” holds what is no document"
            whole[name] = {
                id_: document for id_, document in documents.items() if isinstance(document, dict)
            }
    return Snapshot(whole, seq, problem or take_strange_fields(whole))


def take_strange_fields(tables: Mapping[str, Mapping[str, Document | None]]) -> str:
    """Take away fields that are not what they should be, and return what was wrong with one."""
    problem = ""
    for name, fields in FIELDS.items():
        for id_, document in tables.get(name, {}).items():
            if document is None:
                continue
            for field, value in [*document.items()]:
                if type(value) is not fields.get(field, type(value)):
                    del document[field]
                    problem = f"“{field}” of “{id_}” in its table “{name}” is of another kind"
                    if field in ("text", "texts"):  # without it the rest says nothing
                        document.clear()
    return problem


def _salvaged(data: bytes) -> dict[str, dict[str, Any]]:
    """Return the documents whose lines are whole; of one that is there twice, the later."""
    tables: dict[str, dict[str, Any]] = {}
    table: dict[str, Any] = {}
    for line in data.split(b"\n"):
        try:
            text = line.decode()
            if head := _TABLE.fullmatch(text):
                table = tables.setdefault(json.loads(head[1]), {})
            elif text in ("}", "},"):
                table = {}  # what follows a head that is damaged belongs to no table
            else:
                table.update(json.loads("{" + text.removesuffix(",") + "}"))
        except UNREADABLE:
            if b"\0" in line:  # blocks that were never written, and in them perhaps a table's head
                table = {}
    return tables
