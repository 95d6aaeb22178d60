"""Tables of tokens: one token per line, its columns separated by tabs or blanks, an empty line after every sentence.

That is the format of the CoNLL tasks, of CRF++ and of CRFsuite; ``.conllu`` files have comments and ids besides.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from .errors import DataError
from .sources import Source, open_bytes

CONLLU = ("id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc")
MACRO = re.compile(r"%x\[\s*(-?\d+)\s*,\s*(\d+)\s*\]")


class Tokens(NamedTuple):
    """The sentences of a file: a list of tokens each, a token is a tuple of its columns."""

    sentences: list[list[tuple[str, ...]]]
    width: int  # columns of every token

    def column(self, place: int) -> list[list[str]]:
        """One column of all sentences; -1 is the last."""
        return [[token[place] for token in sentence] for sentence in self.sentences]


def read_tokens(source: Source) -> Tokens:
    """The sentences of a file.

    >>> import os, tempfile
    >>> from linsep.data.sources import describe
    >>> place = os.path.join(tempfile.mkdtemp(), "some.txt")
    >>> with open(place, "w") as file:
    ...     _ = file.write("The DT\\ndog NN\\n\\nGo VB\\n")
    >>> read_tokens(describe(place))
    Tokens(sentences=[[('The', 'DT'), ('dog', 'NN')], [('Go', 'VB')]], width=2)
    """
    sentences: list[list[tuple[str, ...]]] = []
    sentence: list[tuple[str, ...]] = []
    with_ids, width = source.ending == ".conllu", 0
    with open_bytes(source) as file:
        lines = _decode(file.read(), source.path).split("\n")
    for number, line in enumerate(lines, start=1):
        if not line or line.isspace():
            if sentence:
                sentences.append(sentence)
                sentence = []
            continue
        if with_ids and (line.startswith("#") or not line.partition("\t")[0].isdecimal()):
            continue  # a comment, several words as one, or an empty node
        token = tuple(line.rstrip("\r").split("\t") if "\t" in line else line.split())
        if len(token) != width:
            width = width or len(token)
            if len(token) != width:
                said = f"expected {width} columns as in the lines before, got {len(token)}."
                raise DataError(f"{said} Empty lines separate sentences.", source.path, line=number)
        sentence.append(token)
    sentences += [sentence] if sentence else []
    if not sentences:
        raise DataError("expected one token per line, got an empty file.", source.path)
    return Tokens(sentences, width)


def _decode(data: bytes, path: str) -> str:
    """The text of a file in UTF-8."""
    try:
        return data.removeprefix(codecs.BOM_UTF8).decode()
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise DataError("expected text in UTF-8. Convert it, for example with iconv.", path, line=line) from None


def read_templates(text: str, columns: Sequence[str], path: str = "template") -> list[str]:
    """The templates of a file, one per line: ours, or those of CRF++, in which ``%x[-1,0]`` names a place.

    Transitions between labels, ``B`` in CRF++, are always there.

    >>> read_templates("# words\\nU01:%x[-1,0]/%x[0,0]\\nB\\nsuffix(word, 3)", ["word", "pos"])
    ['word[-1]|word', 'suffix(word, 3)']
    """
    found: list[str] = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#") or line == "B":
            continue
        places = MACRO.findall(line)
        if not places:
            if re.match(r"[UB]\w*:|[UB]\d*$", line):
                raise DataError(f"expected places such as %x[0,0], got {line!r}.", path, line=number)
            found.append(line)
            continue
        if line.startswith("B"):
            raise DataError("features of pairs of labels (B with %x) are not read: use --pair-features.", path, number)
        for _, place in places:
            if int(place) >= len(columns):
                raise DataError(f"there is no column {place}: {len(columns)} are used, from 0.", path, number)
        parts = (columns[int(place)] + (f"[{int(row)}]" if int(row) else "") for row, place in places)
        found.append("|".join(parts))
    if not found:
        raise DataError("expected one template per line, got none.", path)
    return list(dict.fromkeys(found))


def write_tokens(tokens: Tokens, added: Iterable[Sequence[object]]) -> str:
    """The tokens as they were, with one more column."""
    lines: list[str] = []
    for sentence, labels in zip(tokens.sentences, added, strict=True):
        lines += ["\t".join((*token, str(label))) for token, label in zip(sentence, labels, strict=True)]
        lines.append("")
    return "\n".join(lines) + "\n"
