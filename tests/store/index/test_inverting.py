"""What is indexed of a text, chunk by chunk, is what the analysis says of it as a whole."""

from __future__ import annotations

from collections import Counter

from anchorlight.store.analysis import tokens
from anchorlight.store.index.inverting import _Chunks, _FieldPostings, _Words
from hypothesis import given, settings
from hypothesis import strategies as st

from .test_large import NASTY

hostile = st.lists(
    st.one_of(
        st.sampled_from(NASTY),
        st.sampled_from(
            list("-‐‑\u00ad'’ʼ_.,+#*/()[]“”`~…\u200b\u200c\u200d\u0301\u0345\x1c\x85\u2028 \n\t")
        ),
        st.text(max_size=4),
        st.sampled_from("aZ9²Ⅷ字가ก\u0300\u093f").map(lambda one: one * 2),
    ),
    max_size=14,
).map("".join)


@settings(max_examples=400)
@given(hostile, hostile)
def test_chunks_give_the_words_of_the_whole_text(text: str, other: str) -> None:
    words = _Words()
    chunks = _Chunks(words)
    postings = _FieldPostings()
    postings.add(0, other, chunks)  # what was seen before changes nothing
    postings.add(1, text, chunks)
    whole = tokens(text)
    start, end = postings.order_starts[1:3]
    assert [words.texts[one] for one in postings.order[start:end]] == [one.exact for one in whole]
    wanted = Counter([one.exact for one in whole] + [one.joined for one in whole if one.joined])
    found = {
        words.texts[word]: count
        for word, documents in postings.documents.items()
        for document, count in zip(documents, postings.counts(word), strict=True)
        if document == 1
    }
    assert found == wanted
