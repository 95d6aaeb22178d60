"""Feature templates against the plain way: one dictionary of strings per token."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linsep.estimators.sequences.templates import WINDOW, Templates, shape

COLUMNS = ("word", "tag")
SOME = [*WINDOW, "tag[-1]", "tag[-1]|word", "lower(word)[3]", "tag|tag[1]|suffix(word, 2)[-1]"]


def value(tokens, t, atom: str) -> str:
    """What one part of a template says of token t, read off the tokens."""
    body, _, offset = atom.strip().partition("[")
    t += int(offset.rstrip("]") or 0)
    if t < 0:
        return "<s>"
    if t >= len(tokens):
        return "</s>"
    name, _, argument = body.rstrip(")").rpartition("(")
    column, _, length = argument.partition(",")
    word = tokens[t][COLUMNS.index(column.strip())]
    if name in ("prefix", "suffix"):
        return word[: int(length)] if name == "prefix" else word[-int(length) :]
    return {"": word, "lower": word.lower(), "shape": shape(word)}[name]


def plainly(tokens) -> list[set[str]]:
    """The features of each token, as strings."""
    return [
        {f"{text}={'|'.join(value(tokens, t, atom) for atom in text.split('|'))}" for text in SOME}
        for t in range(len(tokens))
    ]


def named(templates, found) -> list[set[str]]:
    indptr, indices = found
    return [{templates.name(j) for j in indices[begin:end]} for begin, end in itertools.pairwise(indptr)]


token = st.tuples(st.sampled_from(["a", "Bob", "B-52", "x1", "dogs", "ß"]), st.sampled_from(["N", "V"]))
table = st.lists(st.lists(token, max_size=5), min_size=1, max_size=5)


@given(table, table, st.integers(1, 3))
def test_features_are_those_of_one_dictionary_per_token(train, test, least):
    templates = Templates(SOME, COLUMNS, min_count=least)
    found = templates.fit(train)
    wanted = [features for tokens in train for features in plainly(tokens)]
    count = Counter(feature for features in wanted for feature in features)
    known = {feature for feature, times in count.items() if times >= least}
    assert templates.width == len(known)
    assert named(templates, found) == [features & known for features in wanted]
    assert named(templates, templates.transform(train)) == [features & known for features in wanted]
    new = [features & known for tokens in test for features in plainly(tokens)]
    assert named(templates, templates.transform(test)) == new


def test_features_are_numbered_without_gaps():
    templates = Templates(SOME, COLUMNS)
    _, indices = templates.fit([[("a", "N"), ("Bob", "V")], [("a", "V")]])
    assert set(indices.tolist()) == set(range(templates.width))
    assert len({templates.name(j) for j in range(templates.width)}) == templates.width


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("wrd", "expected a column of .* got 'wrd'"),
        ("upper(word)", "expected one of lower, prefix, suffix, shape, got 'upper'"),
        ("suffix(word)", "expected a length for prefix and suffix only"),
        ("lower(word, 2)", "expected a length for prefix and suffix only"),
        ("prefix(word, 0)", "expected a length for prefix and suffix only"),
        ("word[", "expected column, reading"),
        ("", "expected column, reading"),
    ],
)
def test_a_wrong_template_is_named(text, said):
    with pytest.raises(ValueError, match=said):
        Templates([text], COLUMNS)


def test_a_wrong_token_is_named():
    with pytest.raises(ValueError, match="sequence 1, token 0"):
        Templates(["tag"], COLUMNS).fit([[("a", "N")], [("b",)]])


def test_nothing_is_nothing():
    templates = Templates(["word"])
    indptr, indices = templates.fit([[]])
    assert indptr.tolist() == [0] and indices.size == 0 and templates.width == 0
    assert templates.transform([[("a",)]])[0].tolist() == [0, 0]
    assert np.issubdtype(indices.dtype, np.integer)
