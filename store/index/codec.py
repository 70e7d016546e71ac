"""The index as Whoosh sees it: a codec whose segments are files of arrays (`segment.py`).

Whoosh keeps the list of segments, its generations and the lock; its readers, matchers and
scoring work on these segments as on its own, and the tests hold our own way of answering to
theirs. Segments are written by `inverting.py` alone, not through Whoosh's writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from whoosh.codec import base
from whoosh.matching import ListMatcher
from whoosh.reading import TermInfo, TermNotFound
from whoosh.util.numeric import byte_to_length

from .segment import Field, Segment

EXTENSION = ".seg"


class ArrayCodec(base.Codec):  # type: ignore[misc]
    """Reads segments of arrays."""

    def per_document_reader(self, storage: Any, segment: ArraySegment) -> DocumentsReader:
        """Return what is known of each document."""
        return DocumentsReader(segment, segment.open(Path(storage.folder)))

    def terms_reader(self, storage: Any, segment: ArraySegment) -> TermsReader:
        """Return the terms and their postings."""
        return TermsReader(segment.open(Path(storage.folder)))

    def new_segment(self, _storage: Any, indexname: str) -> ArraySegment:
        """Return a segment without documents."""
        return ArraySegment(indexname)


class ArraySegment(base.Segment):  # type: ignore[misc]
    """What the list of segments says of one: its name, its size, and who was deleted since."""

    def __init__(self, indexname: str, size: int = 0) -> None:
        super().__init__(indexname)
        self._size = size
        self._deleted: set[int] = set()

    def open(self, folder: Path) -> Segment:
        """Map the segment's file."""
        return Segment(folder / self.make_filename(EXTENSION))

    def codec(self, **_: Any) -> ArrayCodec:
        """Return what reads it."""
        return ArrayCodec()

    def should_assemble(self) -> bool:
        """It is one file already."""
        return False

    def set_doc_count(self, count: int) -> None:
        """Set how many documents it holds."""
        self._size = count

    def doc_count_all(self) -> int:
        """Return how many documents it holds, deleted ones too."""
        return self._size

    def deleted_count(self) -> int:
        """Return how many of them are deleted."""
        return len(self._deleted)

    def deleted_docs(self) -> set[int]:
        """Return those that are deleted."""
        return self._deleted

    def delete_document(self, docnum: int, delete: bool = True) -> None:
        """Delete a document, or take that back."""
        (self._deleted.add if delete else self._deleted.discard)(docnum)

    def is_deleted(self, docnum: int) -> bool:
        """Tell whether a document is deleted."""
        return docnum in self._deleted


class DocumentsReader(base.PerDocumentReader):  # type: ignore[misc]
    """Lengths and keys of documents."""

    def __init__(self, segment: ArraySegment, arrays: Segment) -> None:
        self._segment = segment
        self._arrays = arrays

    def doc_count(self) -> int:
        """Return how many documents are not deleted."""
        return int(self._segment.doc_count())

    def doc_count_all(self) -> int:
        """Return how many documents there are."""
        return self._segment.doc_count_all()

    def has_deletions(self) -> bool:
        """Tell whether any document is deleted."""
        return bool(self._segment.has_deletions())

    def is_deleted(self, docnum: int) -> bool:
        """Tell whether a document is deleted."""
        return self._segment.is_deleted(docnum)

    def deleted_docs(self) -> set[int]:
        """Return the deleted documents."""
        return self._segment.deleted_docs()

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        """Return how many terms a field of a document holds, as rounded as Whoosh rounds it."""
        field = self._arrays.fields.get(fieldname)
        return int(byte_to_length(field.lengths[docnum])) if field else default

    def field_length(self, fieldname: str) -> int:
        """Return how many terms a field holds in all documents together."""
        field = self._arrays.fields.get(fieldname)
        return field.total if field else 0

    def min_field_length(self, fieldname: str) -> int:
        """Return the smallest length of a field."""
        field = self._arrays.fields.get(fieldname)
        return int(byte_to_length(min(field.lengths))) if field else 0

    def max_field_length(self, fieldname: str) -> int:
        """Return the greatest length of a field."""
        field = self._arrays.fields.get(fieldname)
        return int(byte_to_length(max(field.lengths))) if field else 0

    def stored_fields(self, docnum: int) -> dict[str, str]:
        """Return the key of a document."""
        return {"key": self._arrays.keys[docnum]}


class TermsReader(base.TermsReader):  # type: ignore[misc]
    """Terms, in order, with their postings."""

    def __init__(self, arrays: Segment) -> None:
        self._fields: dict[str, Field] = arrays.fields

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return self._place(*term) >= 0

    def _place(self, fieldname: str, text: bytes) -> int:
        field = self._fields.get(fieldname)
        return field.terms.find(text) if field else -1

    def indexed_field_names(self) -> list[str]:
        """Return the names of the fields that hold any term."""
        return sorted(self._fields)

    def terms(self) -> Iterator[tuple[str, bytes]]:
        """Return every term of every field."""
        names = self.indexed_field_names()
        return self.terms_from(names[0], b"") if names else iter(())

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        """Yield the terms of a field from a place on, and those of the fields behind it."""
        for name in self.indexed_field_names():
            if name >= fieldname:
                terms = self._fields[name].terms
                start = terms.place(prefix) if name == fieldname else 0
                for at in range(start, len(terms)):
                    yield name, terms[at]

    def items(self) -> Iterator[tuple[tuple[str, bytes], Any]]:
        """Yield every term and what is known of it."""
        return ((term, self.term_info(*term)) for term in self.terms())

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], Any]]:
        """Yield terms from a place on and what is known of them."""
        return ((term, self.term_info(*term)) for term in self.terms_from(fieldname, prefix))

    def term_info(self, fieldname: str, text: bytes) -> Any:
        """Return what is known of a term.

        Raises:
            TermNotFound: It does not occur.
        """
        at = self._place(fieldname, text)
        if at < 0:
            raise TermNotFound(f"No term {fieldname}:{text!r}")
        field = self._fields[fieldname]
        documents, counts = field.postings(at)
        lengths = [field.lengths[one] for one in documents]
        return TermInfo(
            weight=float(sum(counts)),
            df=len(documents),
            minlength=byte_to_length(min(lengths)),
            maxlength=byte_to_length(max(lengths)),
            maxweight=float(max(counts)),
            minid=documents[0],
            maxid=documents[-1],
        )

    def frequency(self, fieldname: str, text: bytes) -> float:
        """Return how often a term occurs."""
        return float(self.term_info(fieldname, text).weight())

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        """Return in how many documents a term occurs."""
        at = self._place(fieldname, text)
        return self._fields[fieldname].frequency(at) if at >= 0 else 0

    def matcher(self, fieldname: str, text: bytes, format_: Any, scorer: Any = None) -> Any:
        """Return the postings of a term, for Whoosh to go through."""
        info = self.term_info(fieldname, text)
        field = self._fields[fieldname]
        documents, counts = field.postings(field.terms.find(text))
        return ListMatcher(
            list(documents),
            list(map(float, counts)),
            format=format_,
            scorer=scorer,
            term=(fieldname, text),
            terminfo=info,
        )
