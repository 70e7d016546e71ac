"""From the texts of papers to a segment: which term occurs where, collected in memory.

A chunk of text between blanks is analysed once and remembered, since most were seen before: what
`analysis.tokens` says of a text is what it says of its chunks, one after the other.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from hashlib import blake2b
from itertools import accumulate, chain, groupby
from pathlib import Path
from typing import NamedTuple

from whoosh.util.numeric import length_to_byte

from ..analysis import stem, tokens
from ..bits import bits_of
from ..query import TEXT_FIELDS
from ..texts import Own
from .scoring import Saturation
from .segment import BEGINNING, STEM_MARK, SegmentWriter

_BETWEEN = str.maketrans(dict.fromkeys('()[]{}<>"\\/|;:!?=*&^%$@~`“”…', " "))
"""Characters that end a word wherever they stand, so that chunks become fewer and plainer."""

_READY_BEGINNING = 64
"""A beginning's set lies ready where it holds more than one document in so many."""

_COMMON = 16
"""A term's set lies ready where it holds more than one document in so many: it is shorter then."""

_SMALL = 1024
"""In a segment of fewer documents nothing needs to lie ready."""

_VERY_COMMON = 8
"""A term has a byte of score for each document where it is in more than one in so many."""


class Document(NamedTuple):
    """A paper to be indexed.

    Attributes:
        key: Its key.
        line: Digest of its line in `papers.jsonl`.
        own: Digest of what the reader added, tags and note; 0 where there is nothing.
        fields: Its texts.
    """

    key: str
    line: int
    own: int
    fields: Mapping[str, str]


def own_digest(own: Own | None) -> int:
    """Return a digest of what the reader added to a paper, 0 where that is nothing."""
    if not own or not any(own):
        return 0
    text = f"{own.tags}\0{own.note}".encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "little") or 1


class _Chunks(dict[str, tuple[int, ...]]):
    """The words of chunks of text, by number."""

    def __init__(self, words: _Words) -> None:
        super().__init__()
        self._words = words
        self.joined: dict[str, tuple[int, ...]] = {}
        """Hyphenated chunks: their joined words."""

    def __missing__(self, chunk: str) -> tuple[int, ...]:
        found = tokens.__wrapped__(chunk)
        numbers = tuple(self._words[token.exact] for token in found)
        joined = tuple(self._words[token.joined] for token in found if token.joined)
        if joined:
            self.joined[chunk] = joined
        self[chunk] = numbers
        return numbers


class _Words(dict[str, int]):
    """Numbers for words, in the order in which they first come."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self.texts)
        self.texts.append(word)
        return number


class _FieldPostings:
    """Where each word of one field occurs, while documents are added."""

    def __init__(self) -> None:
        self.documents: defaultdict[int, array[int]] = defaultdict(lambda: array("H"))
        self.counts: defaultdict[int, array[int]] = defaultdict(lambda: array("B"))
        self.lengths = bytearray()
        self.total = 0
        self.order = array("I")
        self.order_starts = array("I", [0])

    def add(self, document: int, text: str, chunks: _Chunks) -> None:
        parts = text.translate(_BETWEEN).split()
        in_order = list(chain.from_iterable(map(chunks.__getitem__, parts)))
        self.order.extend(in_order)
        self.order_starts.append(len(self.order))
        if hyphenated := chunks.joined.keys() & parts:
            for part in parts:
                if part in hyphenated:
                    in_order += chunks.joined[part]
        length = 2 * len(in_order)  # every word counts as typed and as its stem
        self.lengths.append(length_to_byte(length) if length else 0)
        self.total += length
        documents, counts = self.documents, self.counts
        for word, count in Counter(in_order).items():
            documents[word].append(document)
            counts[word].append(count if count < 256 else 255)


class Inverter:
    """Takes in documents and writes a segment of them, at most `segment.MOST_DOCUMENTS`.

    What it knows of words can be handed on to the next one.
    """

    def __init__(self, before: Inverter | None = None) -> None:
        self._words: _Words = before._words if before else _Words()
        self._chunks: _Chunks = before._chunks if before else _Chunks(self._words)
        self._fields = {name: _FieldPostings() for name in TEXT_FIELDS}
        self._keys: list[str] = []
        self._lines = array("Q")
        self._own = array("Q")

    def __len__(self) -> int:
        """Return how many documents were taken in."""
        return len(self._keys)

    def add(self, document: Document) -> None:
        """Take in a document."""
        number = len(self._keys)
        self._keys.append(document.key)
        self._lines.append(document.line)
        self._own.append(document.own)
        for name, field in self._fields.items():
            field.add(number, document.fields[name], self._chunks)

    def write(self, path: Path) -> dict[str, int]:
        """Write the segment to a file that is not there yet, and return its fields' lengths.

        Raises:
            OSError: It cannot be written.
        """
        fields = {name: field for name, field in self._fields.items() if field.total}
        totals = {name: field.total for name, field in fields.items()}
        writer = SegmentWriter(path, {"size": len(self), "totals": totals})
        try:
            writer.add("keys", "\n".join(self._keys).encode())
            writer.add("lines", self._lines.tobytes())
            writer.add("own", self._own.tobytes())
            for name, field in fields.items():
                _FieldWriter(writer, name, field, self._words.texts, len(self)).write()
        finally:
            writer.close()
        return totals


class _FieldWriter:
    """Writes the arrays of a field."""

    def __init__(
        self, writer: SegmentWriter, name: str, field: _FieldPostings, texts: list[str], size: int
    ) -> None:
        self._writer = writer
        self._name = name
        self._field = field
        self._texts = texts
        self._size = size
        self._firsts, self._counted = array("I"), array("H")
        self._documents, self._counts = array("H"), array("B")
        self._common, self._common_sets = array("I"), bytearray()
        self._coded, self._codes = array("I"), bytearray()
        self._saturation = Saturation(field.total / size)

    def write(self) -> None:
        field, texts = self._field, self._texts
        stems: defaultdict[str, list[int]] = defaultdict(list)
        for word in field.documents:
            stems[STEM_MARK + stem(texts[word])].append(word)
        terms: list[tuple[bytes, int | list[int]]] = [
            *((texts[word].encode(), word) for word in field.documents),
            *((text.encode(), forms) for text, forms in stems.items()),
        ]
        terms.sort(key=lambda term: term[0])
        numbers, number_starts = array("I"), array("I", [0])
        places: dict[int, int] = {}
        alone: list[tuple[int, int]] = []
        for place, (_, what) in enumerate(terms):
            if isinstance(what, int):
                places[what] = place
                numbers.append(what)
                self._add(field.documents[what], field.counts[what])
            elif len(what) > 1:
                numbers.extend(what)
                self._add(*_united(what, field))
            else:  # a stem of one word occurs where that word does
                numbers.extend(what)
                alone.append((place, what[0]))
                self._add(array("H"), array("B"))
            number_starts.append(len(numbers))
        for place, word in alone:
            self._firsts[place] = self._firsts[places[word]]
            self._counted[place] = self._counted[places[word]]
        self._put_lines("terms", [line for line, _ in terms])
        for name, data in (
            ("firsts", self._firsts), ("counted", self._counted), ("documents", self._documents),
            ("counts", self._counts), ("lengths", field.lengths),
            ("numbers", numbers), ("number_starts", number_starts),
            ("order", field.order), ("order_starts", field.order_starts),
            ("common", self._common), ("common_sets", self._common_sets),
            ("coded", self._coded), ("codes", self._codes),
        ):  # fmt: skip
            self._put(name, data)
        self._put_beginnings([(line, what) for line, what in terms if isinstance(what, int)])

    def _put(self, name: str, data: array[int] | bytearray) -> None:
        raw = data if isinstance(data, bytearray) else data.tobytes()
        self._writer.add(f"{self._name}.{name}", raw)

    def _put_lines(self, name: str, lines: list[bytes]) -> None:
        starts = array("I", accumulate((len(line) + 1 for line in lines), initial=0))
        self._put(f"{name}.text", bytearray(b"".join(line + b"\n" for line in lines)))
        self._put(f"{name}.starts", starts)

    def _add(self, documents: array[int], counts: array[int]) -> None:
        """Add the postings of the next term."""
        first = len(self._documents)
        self._firsts.append(first)
        self._counted.append(len(documents))
        self._documents.extend(documents)
        self._counts.extend(counts)
        if self._size < _SMALL:
            return
        if len(documents) * _COMMON > self._size:
            self._common.append(first)
            self._common_sets += _set_bytes(documents, self._size)
        if len(documents) * _VERY_COMMON > self._size:
            self._coded.append(first)
            codes = bytearray(self._size)
            lengths = map(self._field.lengths.__getitem__, documents)
            score_bytes = self._saturation.bytes_of(counts, lengths)
            for document, byte in zip(documents, score_bytes, strict=True):
                codes[document] = byte
            self._codes += codes

    def _put_beginnings(self, words: list[tuple[bytes, int]]) -> None:
        """Write the sets of beginnings that many documents have a word with."""
        ready: dict[bytes, bytes] = {}
        lengths = range(1, BEGINNING + 1) if self._size >= _SMALL else ()
        for length in lengths:
            # By letters, of which some take several bytes.
            for beginning, group in groupby(words, key=lambda word: word[0].decode()[:length]):
                documents = set(chain.from_iterable(self._field.documents[one] for _, one in group))
                if len(beginning) == length and len(documents) * _READY_BEGINNING > self._size:
                    ready[beginning.encode()] = _set_bytes(documents, self._size)
        lines = sorted(ready)
        self._put_lines("beginnings", lines)
        self._put("beginning_sets", bytearray(b"".join(map(ready.__getitem__, lines))))


def _united(words: list[int], field: _FieldPostings) -> tuple[array[int], array[int]]:
    """Return the postings of several words as those of one term."""
    counts: dict[int, int] = {}
    for word in words:
        for document, count in zip(field.documents[word], field.counts[word], strict=True):
            counts[document] = counts.get(document, 0) + count
    documents = sorted(counts)
    return array("H", documents), array("B", (min(counts[one], 255) for one in documents))


def _set_bytes(documents: Collection[int], size: int) -> bytes:
    return bits_of(documents, size).to_bytes(size // 8 + 1, "little")
