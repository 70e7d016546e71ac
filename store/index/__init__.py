"""The full-text index over a library's texts: a Whoosh index with segments of our own.

`textindex` is its door. `inverting` makes segments and `segment` reads them, `codec` shows them to
Whoosh, `placed` says which documents are which papers, `matching` and `ranking` answer.
The only folder that knows Whoosh.
"""

from .building import build
from .inverting import Document, own_digest
from .scoring import FIELD_WEIGHTS
from .textindex import IndexUnusableError, State, TextIndex

__all__ = [
    "FIELD_WEIGHTS", "Document", "IndexUnusableError", "State", "TextIndex", "build", "own_digest",
]  # fmt: skip
