from __future__ import annotations

import unicodedata
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest
from anchorlight.store.analysis import stem, tokens
from hypothesis import example, given
from hypothesis import strategies as st

TEXT = st.text(
    st.one_of(st.characters(), st.sampled_from("-\u2010'’ .,+#_ C1aé東ガ\u0301\u3099한\xad")),
    max_size=40,
)


@given(TEXT)
@example("don’t over-fit: 802.11 C++ 東京-大学 ﬁne-tuning")
def test_the_offsets_of_a_token_lead_to_its_word(text: str) -> None:
    found = tokens(text)
    for before, after in pairwise(found):
        assert before.end <= after.start
    for position, token in enumerate(found):
        assert token.position == position
        assert 0 <= token.start < token.end <= token.joined_end <= len(text)
        assert token.exact
        assert [one.exact for one in tokens(text[token.start : token.end])] == [token.exact]
        if not token.joined:
            assert token.joined_end == token.end


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("We use R.", "we use r"),
        ("C++, C# and F#; not C", "c++ c# and f# not c"),
        ("GPT-4 in 3D, 32x, AI", "gpt 4 in 3d 32x ai"),
        ("10-100", "10 100"),
        ("802.11 p<0.05 1,000", "802.11 p 0.05 1,000"),
        ("O(n log n) k-NN L1/L2 .NET F1", "o n log n k nn l1 l2 net f1"),
        ("don't don’t Müller’s it's O'Brien", "dont dont muller it obrien"),
        ("Nai\u0308ve ﬁne Straße", "naive fine strasse"),
        ("東京大学で ML", "東 京 大 学 て ml"),
        ("foo_bar [CLS]", "foo bar cls"),
        ("it is the who", "it is the who"),
        ("– … !", ""),
    ],
)
def test_text_is_split_into_the_words_a_researcher_types(text: str, words: str) -> None:
    assert [token.exact for token in tokens(text)] == words.split()


@pytest.mark.parametrize("text", ["ガラス", "Erdős", "đại học Việt"])
def test_both_normal_forms_give_the_same_words(text: str) -> None:
    decomposed = unicodedata.normalize("NFD", text)
    assert [token.exact for token in tokens(decomposed)] == [t.exact for t in tokens(text)]


@pytest.mark.parametrize(
    ("text", "joined"),
    [
        ("fine-tuning", "finetuning"),
        ("Wi\u2010Fi", "wifi"),
        ("e\u2011mail", "email"),
        ("state-of-the-art", "stateoftheart"),
        ("GPT-4", "gpt4"),
        ("fine - tuning", ""),
        ("fine--tuning", ""),
        ("fine/tuning", ""),
    ],
)
def test_a_hyphenated_word_is_also_kept_joined(text: str, joined: str) -> None:
    first, *others = tokens(text)
    assert first.joined == joined
    assert not any(token.joined for token in others)
    assert text[first.start : first.joined_end] == (text if joined else "fine")


@pytest.mark.parametrize(
    ("one", "two"), [("train", "training"), ("models", "model"), ("optimized", "optimizing")]
)
def test_inflected_forms_share_a_stem(one: str, two: str) -> None:
    assert stem(one) == stem(two)


@pytest.mark.parametrize("word", ["it", "r", "c++", "3d", "gpt4", "東", "ai"])
def test_what_is_no_english_word_is_its_own_stem(word: str) -> None:
    assert stem(word) == word


def test_words_are_stemmed_alike_on_many_threads_at_once() -> None:
    words = [f"{one}{two}{end}" for one in "bcdfgl" for two in ("ain", "oun", "ell")
             for end in ("ing", "ed", "s", "ation", "ational", "fulness", "izer")]  # fmt: skip
    alone = [stem(word) for word in words]
    stem.cache_clear()
    with ThreadPoolExecutor(4) as threads:
        rounds = list(threads.map(lambda _: [stem.__wrapped__(word) for word in words], range(40)))
    assert all(one == alone for one in rounds)
