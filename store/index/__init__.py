"""The full-text index over a library's texts: a Whoosh index with segments of our own.

`textindex` is its door. `inverting` makes segments, files of `arrays`, and `segment` reads them;
`codec` shows them to Whoosh, `placed` says which documents are which papers, `committed` answers
by `matching` and `ranking`.
The only folder that knows Whoosh.
"""

from .building import Workers, build
from .committed import Committed
from .inverting import Document, own_digest
from .scoring import FIELD_WEIGHTS
from .textindex import IndexUnusableError, State, TextIndex

__all__ = [
    "FIELD_WEIGHTS", "Committed", "Document", "IndexUnusableError", "State", "TextIndex", "Workers",
    "build", "own_digest",
]  # fmt: skip
