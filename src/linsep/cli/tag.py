"""``linsep tag``: label the tokens of sentences, in files with one token per line."""

from __future__ import annotations

import gc
import os
import shlex
import sys
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from .options import Command, Whole, answering, data_argument, model_argument, seed_option, time_option
from .output import BUDGET_SPENT, INTERRUPTED, Output, Problem, keep_inputs, refuse

if TYPE_CHECKING:
    from ..data.shards import Layout, TokenShards

BIO = ("B-", "I-")


class Group(click.Group):
    """The three commands in the order of their use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order of their use."""
        return ["fit", "predict", "evaluate"]


@click.group(cls=Group)
def tag() -> None:
    """Label the tokens of sentences: parts of speech, names, chunks.

    Files have one token per line, its columns separated by tabs or blanks, and an
    empty line after every sentence (CoNLL, CRF++). The last column is the label.

    \b
    Examples:
      linsep tag fit train.txt -o tagger.linsep
      linsep tag predict tagger.linsep new.txt
      linsep tag evaluate tagger.linsep test.txt
    """
    gc.disable()  # sentences are many small objects, none of them in cycles
    click.get_current_context().call_on_close(gc.enable)


@tag.command(cls=Command)
@data_argument
@click.option("--columns", metavar="NAMES", help="Names of the columns, as in word,pos,label; default: word,c2,...")
@click.option(
    "--label", metavar="COLUMN", help="The column to predict: its name, or its number from 1; default: the last."
)
@click.option("--templates", metavar="FILE", help="Templates of features, ours or those of CRF++.")
@click.option("--dev", metavar="FILE", help="Sentences on which the best pass is chosen.")
@click.option(
    "--passes", type=Whole(1, 10_000), default=10, metavar="NUMBER", help="Maximum number of passes; default: 10."
)
@click.option(
    "--order", type=Whole(1, 2), default=1, metavar="1|2", help="How many labels before it a label depends on."
)
@click.option("--bio", is_flag=True, help="Labels are B-x, I-x, O: forbid what can't follow.")
@click.option("--pair-features", is_flag=True, help="Features weigh pairs of labels, too.")
@click.option("-o", "--output", metavar="MODEL", help="Write the model to this file.")
@click.option("--workers", type=Whole(1, 1024), metavar="NUMBER", help="Learn in so many processes, a file at a time.")
@click.option("--scheduler", metavar="ADDRESS", help="Learn on the workers of this Dask scheduler.")
@seed_option
@time_option
@answering
def fit(data: tuple[str, ...], *, out: Output, **options: Any) -> None:
    """Learn to label tokens, with a certificate.

    \b
    Examples:
      linsep tag fit train.txt -o tagger.linsep
      linsep tag fit train.txt --columns word,pos,chunk --templates crf.txt --bio
      linsep tag fit en-ud-train.conllu --label upos --dev en-ud-dev.conllu
      linsep tag fit 'shards/*.conll' --workers 2 -o tagger.linsep

    \b
    A file of templates has one per line:
      word   lower(word)[-1]   suffix(word, 3)   shape(word)   word[-1]|word
      U05:%x[-1,0]/%x[0,0]     as in CRF++: the row, and the column from 0

    With --workers every file is a shard that learns by itself, and their w are mixed
    after every pass: not the w of one machine.
    """
    from ..data.shards import TokenShards
    from ..data.sources import find_sources
    from ..estimators.sequences.classifier import SequenceClassifier
    from .fit import check_output

    check_output(options["output"])
    keep_inputs("-o", options["output"], *data, options["dev"], options["templates"])
    sources = find_sources(data)
    parted = bool(options["workers"] or options["scheduler"])
    tokens, layout = _read_first(sources, options, only_first=parted)
    templates = _templates(options["templates"], layout)
    dev = layout.split(_read(find_sources([options["dev"]]), layout)) if options["dev"] else None
    tagger = SequenceClassifier(
        templates=templates, columns=layout.columns, order=options["order"], max_iter=options["passes"],
        forbidden="BIO" if options["bio"] else None, pair_features=options["pair_features"],
        scoring="span" if options["bio"] else "token", random_state=options["seed"], max_seconds=options["time_limit"],
    )  # fmt: skip
    if parted:
        interrupted = _learn_in_shards(tagger, TokenShards(sources, layout), dev, options, out)
    else:
        X, y = layout.split(tokens)
        out.say(f"{len(y)} sentences, {sum(map(len, y))} tokens.")
        interrupted = _learn(tagger, X, y, dev, out)
    out.answer(sentences=tagger.certificate_.size, features=int(tagger.reader_.width), labels=tagger.classes_)
    out.answer(certificate=[str(tagger.certificate_)], passes=tagger.n_iter_)
    out.say(f"{tagger.reader_.width} features, {len(tagger.classes_)} labels, {tagger.n_iter_} passes.")
    out.say(tagger.certificate_)
    if options["output"] is None:
        out.note("the model was not written: give -o MODEL to keep it.")
    else:
        _write_model(options["output"], tagger, sources, layout, out)
    if interrupted:
        out.code = INTERRUPTED
        out.note("interrupted: this is the best model so far.")
    elif options["time_limit"] and tagger.n_iter_ < options["passes"] and not tagger.certificate_.proved:
        out.code = BUDGET_SPENT
        out.note("the time limit is spent: this is the best model so far.")


def _templates(path: str | None, layout: Layout) -> Any:
    """The templates of a file, or the usual ones of a column of words."""
    from ..data.conll import read_templates

    if path:
        return read_templates(Path(path).read_text(encoding="utf-8"), layout.columns, path)
    if "word" not in layout.columns:
        refuse("--columns: the usual templates read the column word; name one so, or give --templates.")
    return "window"


def _write_model(path: str, tagger: Any, sources: Any, layout: Layout, out: Output) -> None:
    """Write the model, with the names of its files and columns."""
    from ..model_file import save
    from .tables import fingerprint

    source = {"files": [source.path for source in sources], "sha256": fingerprint([s.path for s in sources])}
    command = shlex.join(["linsep", *click.get_current_context().find_root().obj])
    del tagger._state  # what partial_fit would go on from, twice as large as w
    save(tagger, path, {"command": command, "data": source, "tokens": layout._asdict()})
    out.answer(model=path)
    out.say(f"wrote {path}")


def _learn_in_shards(tagger: Any, shards: TokenShards, dev: Any, options: dict[str, Any], out: Output) -> bool:
    """Learn from files where workers read them; whether Ctrl-C ended it."""
    from .cluster import MIXED, connected, say_workers

    if options["workers"] and options["scheduler"]:
        refuse("--workers: expected without --scheduler, whose cluster has its workers.")
    with connected(options) as client:
        say_workers(f"{len(shards.sources)} shard{'s' * (len(shards.sources) != 1)}", client, out)
        out.note(MIXED)
        return _learn(tagger, shards.on(client), None, dev, out)


def _learn(tagger: Any, X: Any, y: Any, dev: Any, out: Output) -> bool:
    """Learn; whether Ctrl-C ended it."""
    import warnings

    try:
        with warnings.catch_warnings(), out.progress("learning"):
            warnings.simplefilter("ignore")  # the certificate says it
            tagger.fit(X, y, dev=dev)
    except KeyboardInterrupt:
        if not hasattr(tagger, "certificate_"):
            raise
        return True
    return False


@tag.command(cls=Command)
@model_argument
@data_argument
@click.option("-o", "--output", metavar="OUT", help="Write here instead of standard output.")
@answering
def predict(model: str, data: tuple[str, ...], *, output: str | None, out: Output) -> None:
    """Label tokens: the same columns, and one more with the label.

    \b
    Examples:
      linsep tag predict tagger.linsep new.txt -o labelled.txt
      cat new.txt | linsep tag predict tagger.linsep - | head

    DATA may lack the column of labels.
    """
    from ..atomic import replace_file
    from ..data.conll import write_tokens
    from ..data.sources import find_sources

    keep_inputs("-o", output, model, *data)
    tagger, layout = _open(model)
    tokens = _read(find_sources(data), layout, labels=False)
    found = _label(tagger, layout.split(tokens)[0])
    out.answer(sentences=len(found), output=output)
    if output is None and out.as_json:
        out.answer(prediction=found)
    elif output in (None, "-"):
        if not out.quiet:
            sys.stdout.write(write_tokens(tokens, found))
    else:
        with replace_file(Path(str(output))) as file:
            file.write(write_tokens(tokens, found).encode())
        out.say(f"wrote {output}: {len(found)} sentences")


@tag.command(cls=Command)
@model_argument
@data_argument
@answering
def evaluate(model: str, data: tuple[str, ...], *, out: Output) -> None:
    """Count errors; of labels B-x, I-x, O the spans, as conlleval prints them.

    \b
    Example:
      linsep tag evaluate tagger.linsep test.txt
    """
    from ..data.sources import find_sources

    tagger, layout = _open(model)
    X, truth = layout.split(_read(find_sources(data), layout))
    found = _label(tagger, X)
    total = sum(map(len, truth))
    right = sum(a == b for some, other in zip(truth, found, strict=True) for a, b in zip(some, other, strict=True))
    whole = sum(some == other for some, other in zip(truth, found, strict=True))
    out.answer(tokens=total, errors=total - right, accuracy=right / total, sentences=len(truth), right_sentences=whole)
    known = {label for labels in truth for label in labels}
    if any(label.startswith(BIO) for label in known) and all(label == "O" or label.startswith(BIO) for label in known):
        _say_spans(truth, found, out, right / total)
    else:
        out.say(f"{total - right} error{'s' * (total - right != 1)} on {total} tokens: accuracy {right / total:.4f}.")
        out.say(f"{whole} of {len(truth)} sentences are right throughout.")


def _say_spans(truth: list[list[str]], found: list[list[str]], out: Output, accuracy: float) -> None:
    """Precision, recall and F1 of spans, in the words of conlleval."""
    from ..risk.spans import span_scores

    every, kinds = span_scores(truth, found)
    each = {kind: {**s._asdict(), "f1": s.f1} for kind, s in kinds.items()}
    out.answer(spans={"total": {**every._asdict(), "f1": every.f1}, "kinds": each})
    out.say(
        f"processed {sum(map(len, truth))} tokens with {every.true} phrases; found: {every.predicted} phrases; "
        f"correct: {every.right}."
    )

    def percent(s: Any) -> str:
        shares = s.right / max(s.predicted, 1), s.right / max(s.true, 1), 2 * s.right / max(s.predicted + s.true, 1)
        return "precision: {:6.2f}%; recall: {:6.2f}%; FB1: {:6.2f}".format(*(100 * share for share in shares))

    out.say(f"accuracy: {100 * accuracy:6.2f}%; {percent(every)}")
    for kind, s in kinds.items():
        out.say(f"{kind:>17}: {percent(s)}  {s.predicted}")


# --- files -----------------------------------------------------------------------------------------------------------


def _read_first(sources: Any, options: dict[str, Any], only_first: bool) -> tuple[Any, Layout]:
    """The tokens to learn from, or those of the first file, and what their columns are."""
    from ..data.conll import CONLLU, Tokens, read_tokens
    from ..data.shards import Layout

    parts = [read_tokens(source) for source in (sources[:1] if only_first else sources)]
    width = parts[0].width
    for source, part in zip(sources, parts):
        if part.width != width:
            raise Problem(f"{source.path}: expected {width} columns as in {sources[0].path}, got {part.width}.")
    if width < 2:
        raise Problem(f"{sources[0].path}: expected a token and its label in every line, got 1 column.")
    names = [name.strip() for name in (options["columns"] or "").split(",") if name.strip()]
    if not names:
        conllu = sources[0].ending == ".conllu" and width == len(CONLLU)
        names = list(CONLLU) if conllu else ["word", *(f"c{k}" for k in range(2, width + 1))]
        names = ["word" if name == "form" else name for name in names]
    if len(names) != width or len(set(names)) != width:
        refuse(f"--columns: expected {width} different names, got {len(names)} in {','.join(names)!r}.")
    label = options["label"] or names[-1]
    if label not in names and not (label.isdecimal() and 1 <= int(label) <= width):
        refuse(f"--label: expected one of {', '.join(names)}, or a number from 1 to {width}, got {label}.")
    place = names.index(label) if label in names else int(label) - 1
    columns = tuple(name for k, name in enumerate(names) if k != place)
    if options["bio"]:
        labels = sorted({label for part in parts for sentence in part.column(place) for label in sentence})
        if not any(each.startswith(("B-", "I-")) for each in labels):
            refuse(f"--bio: expected labels B-x, I-x and O, got {', '.join(labels[:5])}.")
    return Tokens([s for part in parts for s in part.sentences], width), Layout(columns, place, width)


def _read(sources: Any, layout: Layout, labels: bool = True) -> Any:
    """The tokens of other files: as many columns as those that were learned from, or one less without labels."""
    from ..data.conll import Tokens, read_tokens

    parts = [read_tokens(source) for source in sources]
    for source, part in zip(sources, parts, strict=True):
        if part.width != layout.width and (labels or part.width != layout.width - 1):
            few = "" if labels else f" or {layout.width - 1}"
            raise Problem(f"{source.path}: expected {layout.width}{few} columns as in training, got {part.width}.")
    if len({part.width for part in parts}) > 1:
        raise Problem("expected files with the same columns.")
    return Tokens([sentence for part in parts for sentence in part.sentences], parts[0].width)


def _label(tagger: Any, X: list) -> list[list[str]]:
    """The best labels of every sentence."""
    labels, begin = tagger.label_positions(X, os.cpu_count() or 1)
    return [labels[a:b].tolist() for a, b in pairwise(begin.tolist())]


def _open(path: str) -> tuple[Any, Layout]:
    """A tagger and its columns."""
    from ..data.shards import Layout
    from ..estimators.sequences.tagger import Tagger
    from ..model_file import load_with_origin

    tagger, origin = load_with_origin(path, instead={"SequenceClassifier": Tagger})
    plain = origin.get("tokens")
    if not isinstance(tagger, Tagger) or not isinstance(plain, dict) or not hasattr(tagger, "coef_"):
        raise Problem(f"{path}: not a model of linsep tag fit.")
    try:
        layout = Layout(tuple(map(str, plain["columns"])), int(plain["label"]), int(plain["width"]))
    except (KeyError, TypeError, ValueError) as error:
        raise Problem(f"{path}: its columns can't be read.") from error
    columns = tuple(vars(tagger)["columns"])
    if not 0 <= layout.label < layout.width == len(layout.columns) + 1 or layout.columns != columns:
        raise Problem(f"{path}: its columns don't fit together.")
    return tagger, layout
