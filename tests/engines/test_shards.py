"""Sequences from files of tokens in shards: one alphabet, mixed w, and certificates that hold."""

import subprocess
import sys

import numpy as np
import pytest

import linsep
from linsep import SequenceClassifier, open_shards
from linsep.data.shards import PlacedShards
from linsep.engines import Serial, Threads
from linsep.estimators.sequences.alphabet import count_features, find_strings, merge_features, merge_strings
from linsep.estimators.sequences.templates import Templates

pytestmark = pytest.mark.filterwarnings("ignore")

LABELS = ("DET", "NOUN", "VERB", "ADJ")


def sentences(count, seed=0, noise=0.0):
    """Sentences of made-up words: the end of a word tells its label, but for some noise."""
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        label = [LABELS[k] for k in rng.integers(0, 4, rng.integers(1, 9))]
        word = [f"{'abcdef'[rng.integers(6)]}{rng.integers(60)}{each[:2].lower()}" for each in label]
        if noise:
            label = [LABELS[rng.integers(4)] if rng.random() < noise else each for each in label]
        found.append(list(zip(word, label, strict=True)))
    return found


def write(folder, found, cuts):
    """Files of so many sentences each."""
    paths, at = [], 0
    for k, size in enumerate(cuts):
        path = folder / f"s{k}.txt"
        path.write_text("".join("".join(f"{w}\t{t}\n" for w, t in s) + "\n" for s in found[at : at + size]))
        paths.append(str(path))
        at += size
    return paths


def make(**options):
    return SequenceClassifier(templates="window", random_state=0, **options)


def test_one_alphabet_is_that_of_all_sentences():
    table = [[(word,) for word, _ in sentence] for sentence in sentences(60)]
    for templates in (["word", "suffix(word, 2)[-1]|word", "lower(word)[1]"], None):
        for least in (1, 2):
            make = lambda: Templates(*([templates] if templates else []), min_count=least)  # noqa: B023, E731
            whole, agreed = make(), make()
            whole.fit(table)
            shards = [table[:20], table[20:21], table[21:]]
            found = [find_strings(shard, [["a"]], agreed) for shard in shards]
            merge_strings(agreed, found)
            merge_features(agreed, [count_features(each, agreed) for each in shards], [each.tokens for each in found])
            assert {a: v.number for a, v in agreed.values.items()} == {a: v.number for a, v in whole.values.items()}
            assert agreed.radix == whole.radix
            assert all((a == b).all() for a, b in zip(agreed.keys, whole.keys, strict=True))
            assert (agreed.rank == whole.rank).all() and (agreed.places == whole.places).all()
            for one, other in zip(agreed.transform(table[:9]), whole.transform(table[:9]), strict=True):
                assert (one == other).all()


def test_one_shard_learns_what_memory_learns(tmp_path):
    shards = open_shards(write(tmp_path, sentences(80, noise=0.1), [80]))
    for rule in ("perceptron", "kozinec"):
        here = make(rule=rule, keep="last", shuffle=False, max_iter=4).fit(*shards.load())
        there = make(rule=rule, keep="last", shuffle=False, max_iter=4).fit(PlacedShards(shards, Serial()))
        if rule == "perceptron":
            assert there.coef_.tobytes() == here.coef_.tobytes()
        np.testing.assert_allclose(there.coef_, here.coef_, rtol=1e-9)  # what shrinks w is multiplied out in every pass
        assert there.classes_.tolist() == here.classes_.tolist()
        assert there.certificate_.updates == here.certificate_.updates and there.certificate_.mixed == 0
        np.testing.assert_allclose(there.certificate_.upper, here.certificate_.upper, rtol=1e-9)


@pytest.mark.parametrize("noise", [0.0, 0.2])
@pytest.mark.parametrize(
    "options", [{}, {"rule": "relaxation"}, {"rule": "kozinec"}, {"loss_scale": 1.0}, {"keep": "auto"}, {"order": 2}]
)
def test_certificates_of_shards_hold(tmp_path, noise, options):
    shards = open_shards(write(tmp_path, sentences(150, noise=noise), [50, 10, 90]))
    found = make(**options).fit(PlacedShards(shards, Threads(2)))
    X, y = shards.load()
    assert found.certificate_.mixed == 3 and found.certificate_.size == 150
    assert found.check(X, y)
    assert found.score(X, y) > (0.97 if noise == 0 else 0.7)
    again = make(**options).fit(PlacedShards(shards, Serial()))
    assert again.coef_.tobytes() == found.coef_.tobytes()
    assert again.certificate_.to_dict() == found.certificate_.to_dict()


def test_the_mean_is_that_of_the_paper(tmp_path):
    """One pass over two shards, by two fits of one pass."""
    shards = open_shards(write(tmp_path, sentences(40, noise=0.1), [25, 15]))
    X, y = shards.load()
    both = make(keep="last", shuffle=False, max_iter=1).fit(PlacedShards(shards, Serial()))
    one, other = (make(keep="last", shuffle=False, max_iter=1) for _ in range(2))
    # the second shard first learns nothing of the first: weights of 0 keep the alphabet and leave sentences out
    weight = np.repeat([1.0, 0.0], [25, 15])
    one.fit(X, y, weight)
    other.fit(X, y, 1.0 - weight)
    k = [each.certificate_.updates for each in (one, other)]
    assert both.certificate_.updates == sum(k)
    np.testing.assert_allclose(both.coef_, (k[0] * one.coef_ + k[1] * other.coef_) / sum(k), rtol=1e-12, atol=1e-15)


def test_what_is_wrong_with_shards_is_said(tmp_path):
    paths = write(tmp_path, sentences(30), [10, 20])
    shards = open_shards(paths)
    placed = PlacedShards(shards, Serial())
    with pytest.raises(ValueError, match="templates: expected those of columns of strings"):
        SequenceClassifier().fit(placed)
    with pytest.raises(ValueError, match=r"columns: expected \('word',\), as the shards have, got \('pos',\)"):
        SequenceClassifier(templates=["pos"], columns=["pos"]).fit(placed)
    for wrong in ({"warm_start": True}, {"rule": "maximum margin"}):
        rule = make(**wrong)
        if "warm_start" in wrong:
            rule.fit(*shards.load())
        with pytest.raises(ValueError, match="X: expected shards alone"):
            rule.fit(placed)
    with pytest.raises(ValueError, match="columns: expected two different names"):
        open_shards(paths, columns=["word"])
    with pytest.raises(ValueError, match=r"label: expected one of \['a', 'b'\], got 'c'"):
        open_shards(paths, columns=["a", "b"], label="c")
    with pytest.raises(ValueError, match=r"s0\.txt: expected 3 columns, got 2"):
        make(columns=("word", "pos")).fit(PlacedShards(open_shards(paths, ["word", "pos", "tag"]), Serial()))
    with open(paths[1], "a") as file:
        file.write("new DET\n")
    with pytest.raises(ValueError, match=r"s1\.txt: it has changed since the dataset was opened"):
        make().fit(placed)


@pytest.mark.long
def test_any_number_of_workers_gives_the_same_bits(tmp_path, cluster):
    from distributed import Client

    shards = open_shards(write(tmp_path, sentences(200, noise=0.1), [50, 10, 90, 50]))
    whole = make(max_iter=5).fit(PlacedShards(shards, Serial()))
    with Client(cluster) as client:
        for workers in (2, 1):
            cluster.scale(workers)
            client.wait_for_workers(workers)
            found = make(max_iter=5).fit(shards.on(client))
            assert found.coef_.tobytes() == whole.coef_.tobytes()
            assert found.certificate_.to_dict() == whole.certificate_.to_dict()
        cluster.scale(2)


@pytest.mark.long
def test_the_command_learns_from_shards(tmp_path):
    paths, model = write(tmp_path, sentences(120), [40, 80]), str(tmp_path / "m.linsep")
    command = [sys.executable, "-m", "linsep", "tag", "fit", *paths, "--workers", "2", "-o", model]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=300)
    assert "2 shards on 2 workers" in said.stderr and "not the w of one machine" in " ".join(said.stderr.split())
    assert "in 2 parts by themselves" in " ".join(said.stdout.split())
    here = make().fit(PlacedShards(open_shards(paths), Serial()))
    assert linsep.load(model).coef_.tobytes() == here.coef_.tobytes()
    truth = [sys.executable, "-m", "linsep", "tag", "evaluate", model, *paths]
    assert "accuracy" in subprocess.run(truth, capture_output=True, text=True, check=True, timeout=300).stdout
