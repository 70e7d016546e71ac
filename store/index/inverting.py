"""From the texts of papers to a segment: which term occurs where, collected in memory.

A chunk of text between blanks is analysed once and remembered, since most were seen before: what
`analysis.tokens` says of a text is what it says of its chunks, one after the other.
"""

from __future__ import annotations

from array import array
from collections import Counter, defaultdict
from collections.abc import Mapping
from contextlib import closing
from hashlib import blake2b
from itertools import accumulate, chain, groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple

from whoosh.util.numeric import length_to_byte

from ..analysis import stem, tokens
from ..bits import bits_of
from ..query import TEXT_FIELDS
from ..texts import Own
from .arrays import ArrayWriter
from .scoring import Saturation, spread
from .segment import BEGINNING, STEM_MARK

_BETWEEN = '()[]":;/“”'
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
        bare = chunk.rstrip(".,")
        if bare.isascii() and bare.isalnum():  # most are plain words: what `tokens` says of these
            numbers: tuple[int, ...] = (self._words[bare.lower()],)
            self[chunk] = numbers
            return numbers
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
        self.documents: defaultdict[int, list[int]] = defaultdict(list)
        self.repeated: dict[int, list[tuple[int, int]]] = {}
        """How often a word occurs where that is more than once: by its place among the word's
        documents."""
        self.lengths = bytearray()
        self.total = 0
        self.order = array("I")
        self.order_starts = array("I", [0])

    def add(self, document: int, text: str, chunks: _Chunks) -> None:
        for between in _BETWEEN:
            text = text.replace(between, " ")
        parts = text.split()
        in_order = list(chain.from_iterable(map(chunks.__getitem__, parts)))
        self.order.extend(in_order)
        self.order_starts.append(len(self.order))
        joined = chunks.joined
        in_order += chain.from_iterable([joined[part] for part in parts if part in joined])
        length = 2 * len(in_order)  # every word counts as typed and as its stem
        self.lengths.append(length_to_byte(length) if length else 0)
        self.total += length
        documents, repeated = self.documents, self.repeated
        for word, count in Counter(in_order).items():
            having = documents[word]
            if count > 1:
                repeated.setdefault(word, []).append((len(having), min(count, 255)))
            having.append(document)

    def counts(self, word: int) -> bytearray:
        """Return how often a word occurs in each of its documents."""
        counts = bytearray(b"\1") * len(self.documents[word])
        for at, count in self.repeated.get(word, ()):
            counts[at] = count
        return counts


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

    def write(self, path: Path) -> None:
        """Write the segment to a file that is not there yet.

        Raises:
            OSError: It cannot be written.
        """
        fields = {name: field for name, field in self._fields.items() if field.total}
        totals = {name: field.total for name, field in fields.items()}
        with closing(ArrayWriter(path, {"size": len(self), "totals": totals})) as writer:
            writer.add("keys", "\n".join(self._keys).encode())
            writer.add("lines", self._lines.tobytes())
            writer.add("own", self._own.tobytes())
            for name, field in fields.items():
                _FieldWriter(writer, name, field, self._words.texts, len(self)).write()
            writer.finish()


class _FieldWriter:
    """Writes the arrays of a field."""

    def __init__(
        self, writer: ArrayWriter, name: str, field: _FieldPostings, texts: list[str], size: int
    ) -> None:
        self._writer = writer
        self._name = name
        self._field = field
        self._texts = texts
        self._size = size

    def write(self) -> None:
        field, texts = self._field, self._texts
        stems: defaultdict[str, list[int]] = defaultdict(list)
        for word in field.documents:
            stems[STEM_MARK + stem(texts[word])].append(word)
        terms: list[tuple[bytes, list[int]]] = [
            *((texts[word].encode(), [word]) for word in field.documents),
            *((text.encode(), words) for text, words in stems.items()),
        ]
        terms.sort(key=itemgetter(0))
        documents, counts, alone, places = [], [], [], {}
        mark = STEM_MARK.encode()
        for place, (line, words) in enumerate(terms):
            if len(words) > 1:
                having, often = _united(words, field)
            elif line.startswith(mark) and line != texts[words[0]].encode():
                alone.append((place, words[0]))  # a stem of one word occurs where that word does
                having, often = [], bytearray()
            else:
                places[words[0]] = place
                having, often = field.documents[words[0]], field.counts(words[0])
            documents.append(having)
            counts.append(often)
        counted = array("H", map(len, documents))
        firsts = array("I", accumulate(counted, initial=0))
        firsts.pop()
        self._put_ready(documents, counts, firsts)
        for place, word in alone:
            firsts[place], counted[place] = firsts[places[word]], counted[places[word]]
        self._put_lines("terms", [line for line, _ in terms])
        numbers = [words for _, words in terms]
        for name, data in (
            ("firsts", firsts),
            ("counted", counted),
            ("documents", array("H", chain.from_iterable(documents))),
            ("counts", bytearray().join(counts)),
            ("numbers", array("I", chain.from_iterable(numbers))),
            ("number_starts", array("I", accumulate(map(len, numbers), initial=0))),
            ("lengths", field.lengths),
            ("order", field.order),
            ("order_starts", field.order_starts),
        ):
            self._put(name, data)
        self._put_beginnings([(texts[word], word) for word in places])

    def _put(self, name: str, data: array[int] | bytearray) -> None:
        raw = data if isinstance(data, bytearray) else data.tobytes()
        self._writer.add(f"{self._name}.{name}", raw)

    def _put_lines(self, name: str, lines: list[bytes]) -> None:
        starts = array("I", accumulate((len(line) + 1 for line in lines), initial=0))
        self._put(f"{name}.text", bytearray(b"".join(line + b"\n" for line in lines)))
        self._put(f"{name}.starts", starts)

    def _put_ready(
        self, documents: list[list[int]], counts: list[bytearray], firsts: array[int]
    ) -> None:
        """Write the sets of common terms, and the bytes of score of very common ones."""
        if self._size < _SMALL:
            return
        common, sets, coded, codes = array("I"), bytearray(), array("I"), bytearray()
        saturation, lengths = Saturation(self._field.total / self._size), self._field.lengths
        for having, often, first in zip(documents, counts, firsts, strict=True):
            if len(having) * _COMMON > self._size:
                common.append(first)
                sets += _packed(bits_of(having, self._size), self._size)
            if len(having) * _VERY_COMMON > self._size:
                coded.append(first)
                codes += spread(saturation.pairs(having, often, lengths), self._size)
        self._put("common", common)
        self._put("common_sets", sets)
        self._put("coded", coded)
        self._put("codes", codes)

    def _put_beginnings(self, words: list[tuple[str, int]]) -> None:
        """Write the sets of beginnings that many documents have a word with."""
        ready: dict[bytes, bytes] = {}
        lengths = range(1, BEGINNING + 1) if self._size >= _SMALL else ()
        for length in lengths:
            # By letters, of which some take several bytes.
            for beginning, group in groupby(words, key=lambda word: word[0][:length]):
                having = [*chain.from_iterable(self._field.documents[one] for _, one in group)]
                if len(beginning) < length or len(having) * _READY_BEGINNING <= self._size:
                    continue
                papers = bits_of(having, self._size)
                if papers.bit_count() * _READY_BEGINNING > self._size:
                    ready[beginning.encode()] = _packed(papers, self._size)
        lines = sorted(ready)
        self._put_lines("beginnings", lines)
        self._put("beginning_sets", bytearray(b"".join(map(ready.__getitem__, lines))))


def _united(words: list[int], field: _FieldPostings) -> tuple[list[int], bytearray]:
    """Return the postings of several words as those of one term."""
    united = Counter(chain.from_iterable(field.documents[word] for word in words))
    for word in words:
        for at, count in field.repeated.get(word, ()):
            united[field.documents[word][at]] += count - 1
    documents = sorted(united)
    counts = [united[one] for one in documents]
    if max(counts) > 255:
        counts = [min(count, 255) for count in counts]
    return documents, bytearray(counts)


def _packed(papers: int, size: int) -> bytes:
    """Return a set as `segment.Field` reads it."""
    return papers.to_bytes(size // 8 + 1, "little")
