"""``muver index create``, ``add`` and the others, as a user types them."""

import json

import ir_measures
import pytest

from muver.cli import main
from muver.kb.index.index import Index
from muver.kb.index.vectors import ViewEncoder

GLOSSARY = "id,title,text\ng1,Anchor,It holds a ship.\ng2,Buoy,It floats.\ng3,Cable,It binds.\n"


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Types a command in a folder with an index of a glossary; gives status, output, errors."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "glossary.csv").write_text(GLOSSARY)

    def typed(*words) -> tuple[int, str, str]:
        status = main(list(words))
        said = capsys.readouterr()
        return status, said.out, said.err

    status, _, err = typed("index", "create", "glossary.csv", "--model", "bm25", "--out", "index")
    assert status == 0, err
    assert "glossary.csv: 3 entities" in err
    assert "index: 3 entities, 0.0 MB in " in err
    return typed


def test_add_update_and_remove(run, tmp_path):
    (tmp_path / "more.csv").write_text("id,title,text\ng1,Anchor,It holds a ship.\ng4,Deck,Wood.\n")
    assert (
        "index: 1 added, 1 unchanged; 4 entities now" in run("index", "add", "index", "more.csv")[2]
    )
    assert Index.open("index").worlds == ["glossary"]  # the only world, not the file's name
    (tmp_path / "more.csv").write_text("id,title,text\ng4,Deck,Of a ship.\n")
    status, _, err = run("index", "add", "index", "more.csv")
    assert status == 2 and "id 'g4' of world 'glossary' is there already" in err
    assert "1 updated; 4 entities" in run("index", "update", "index", "more.csv")[2]
    assert "nothing new" not in run("index", "remove", "index", "g4", "g3")[2]
    assert len(Index.open("index")) == 2
    assert run("index", "compact", "index")[0] == 0
    assert "all files are as they were written" in run("index", "verify", "index")[2]


def test_ids_of_a_file_and_of_standard_input(run, tmp_path, typed):
    (tmp_path / "ids.txt").write_text("g1\n\n g2 \n")
    assert "2 removed; 1 entity now" in run("index", "remove", "index", "--from", "ids.txt")[2]
    typed(b"\xef\xbb\xbfg3\n")
    assert "1 removed; 0 entities now" in run("index", "remove", "index", "--from", "-")[2]
    assert "no ids. Name some" in run("index", "remove", "index")[2]
    said = run("index", "remove", "index", "--from", "none.txt")[2]
    assert "--from none.txt: no such file" in said


def test_a_world_of_its_own(run, tmp_path):
    (tmp_path / "more.csv").write_text("id,title,text\ng1,Otter,It swims.\n")
    run("index", "add", "index", "more.csv", "--world", "animals")
    assert Index.open("index").worlds == ["animals", "glossary"]
    assert "id 'g1' is in several worlds" in run("index", "remove", "index", "g1")[2]
    assert run("index", "remove", "index", "g1", "--world", "animals")[0] == 0


def test_columns_of_a_file_are_named(run, tmp_path):
    (tmp_path / "other.csv").write_text("key,label,about\ng1,Anchor,Another.\ng5,Keel,Of oak.\n")
    named = ("--map", "id=key", "title=label", "description=about")
    assert run("index", "add", "index", "other.csv")[0] == 2
    status, _, err = run("index", "add", "index", "other.csv", *named)
    assert status == 2 and "id 'g1' of world 'glossary' is there already" in err
    assert "1 added, 1 updated" in run("index", "update", "index", "other.csv", *named)[2]
    create = ("index", "create", "other.csv", "--model", "bm25", "--out", "other", *named)
    assert run(*create, "--world", "sea")[0] == 0
    assert Index.open("other").worlds == ["sea"]
    run("kb", "import", "other.csv", "--out", "kb", *named)
    for given in (named, ("--world", "glossary")):
        status, _, err = run("index", "add", "index", "kb", *given)
        assert status == 2 and "kb: a knowledge base" in err


def test_a_new_world_is_announced_and_told_apart(run, tmp_path):
    (tmp_path / "more.csv").write_text("id,title,text\ng1,Anchor,Another.\n")
    run("kb", "import", "more.csv", "--out", "kb")
    assert "new worlds: more." in run("index", "add", "index", "kb")[2]
    assert "new worlds" not in run("index", "update", "index", "kb")[2]
    head, *rows = run("query", "index", "[[anchor]]", "-k", "2")[1].splitlines()[1:]
    assert head.split()[:4] == ["score", "title", "id", "world"]
    assert {row.split()[4] for row in rows if row} == {"glossary", "more"}


def test_info(run):
    _, out, _ = run("index", "info", "index")
    assert dict(line.split() for line in out.splitlines()).items() >= {
        ("weights.words", "1.0"), ("worlds.glossary", "3"), ("settings.merge", "0"),
    }  # fmt: skip
    _, out, _ = run("index", "info", "index", "--json")
    assert json.loads(out)["entities"] == 3


def test_options_stand_over_settings(run, model, tmp_path):
    settings = json.dumps({"merge": 2, "merged_tokens": 60, "global_tokens": 60})
    more = ("--views", "both", "--merge", "1", "--weights", "words=2", "--settings", settings)
    status, _, err = run(
        "index", "create", "glossary.csv", "--model", str(model), "--out", "views", *more
    )
    assert status == 0, err
    made = Index.open("views").info()
    assert made["settings"]["merge"] == 1
    assert (made["weights"]["words"], made["vectors"]) == (2, ["views", "whole"])


def test_what_no_vector_depends_on_is_another_for_once_or_for_good(
    run, model, tmp_path, monkeypatch
):
    text = "The gate stands by the old mill.\nA smith forged the iron of it in spring."
    lines = (json.dumps({"id": n, "title": f"gate {n}", "text": text[n:]}) for n in range(9))
    (tmp_path / "gates.jsonl").write_text("\n".join(lines))
    run("index", "create", "gates.jsonl", "--model", str(model), "--out", "views")
    asked = ["[[gate]] and [[smith]]", "--weights", "words=0,exact=0,characters=0", "--json"]
    smooth = ["--settings", '{"aggregate": {"kind": "log_mean_exp", "temperature": 3}}']
    _, before, _ = run("query", "views", *asked)
    monkeypatch.setattr(ViewEncoder, "columns", None)  # no entity is encoded again
    _, once, _ = run("query", "views", *asked, *smooth)
    assert run("query", "views", *asked)[1] == before != once
    Index.create("anew", [], str(model), aggregate={"kind": "log_mean_exp", "temperature": 3})
    status, _, err = run("index", "set", "views", "--weights", "characters=3", *smooth)
    assert status == 0 and "characters 3.00" in err
    assert run("query", "views", *asked)[1] == once
    made, anew = Index.open("views").info(), Index.open("anew").info()
    assert made["settings"] == anew["settings"] and made["weights"]["characters"] == 3
    status, _, err = run("index", "set", "views", "--settings", '{"merge": 2}')
    assert status == 2 and "unknown key" in err and "merge" in err
    status, _, err = run("query", "views", *asked, "--settings", '{"aggregate": {"kind": "mean"}}')
    assert status == 2 and "Allowed: max, softmax_sum, log_mean_exp" in err


def test_mistakes(run, tmp_path):
    create = ("index", "create", "glossary.csv", "--model", "bm25", "--out")
    assert "index: is there already" in run(*create, "index")[2]
    of_views = ("--settings", '{"aggregate": {"kind": "max"}}')
    for command in (("query", "index", "[[x]]"), ("index", "set", "index")):
        assert "aggregate is of views, and this index has none" in run(*command, *of_views)[2]
    assert "none.csv: no such folder or file" in run("index", "add", "index", "none.csv")[2]
    assert (
        "none: no such folder. Make an index with `muver index create`."
        in run("index", "info", "none")[2]
    )
    # Before the file is read, which is no table.
    (tmp_path / "broken.csv").write_bytes(b"id,title\n1,\xff\n")
    create = ("index", "create", "broken.csv", "--out", "other")
    for said, *more in (
        ("merge: views are compared by a model. Name one", "--merge", "2"),
        ("views: views are compared", "--views", "both", "--model", "bm25"),
        ("merge, view_tokens: views", "--merge", "1", "--settings", '{"view_tokens": 30}'),
        ("'words' comes twice. Leave one out.", "--weights", "words=1,words=2"),
        ("'wrds' is no signal of this index. Did you mean 'words'", "--weights", "wrds=1"),
        ("'nams' is no signal of this", "--weights", "nams=1", "--model", "miniwikia-bert"),
        ("'views' is no signal of this index.", "--weights", "views=1", "--model", "bm25"),
        ("--world '': expected a name of 1 to 200 bytes", "--world", ""),
        ("encoder './none': neither a directory here nor", "--model", "./none"),
    ):
        assert said in run(*create, *more)[2]
    said = run(*create)[2]
    assert "encoding" in said and "(`muver kb import` has more options: make a folder" in said
    assert not (tmp_path / "other").exists()


def test_a_name_that_gets_two_columns(run, capsys):
    with pytest.raises(SystemExit):
        run("index", "add", "index", "glossary.csv", "--map", "title=id", "--map", "title=name")
    assert "--map: 'title' comes twice. Leave one out." in capsys.readouterr().err


def test_a_gold_that_two_worlds_have(run, tmp_path):
    lines = "id,title,world\n1,Mercury,planets\n1,Mercury,metals\n2,Lead,metals\n"
    (tmp_path / "both.csv").write_text(lines)
    assert run("index", "create", "both.csv", "--model", "bm25", "--out", "both")[0] == 0
    mention = {"left": "", "mention": "Mercury", "right": "", "gold": "1"}
    for command in ("evaluate", "calibrate"):
        (tmp_path / "mentions.jsonl").write_text(json.dumps(mention))
        status, _, err = run("index", command, "both", "mentions.jsonl")
        assert status == 2
        assert "line 1: gold '1' is in several worlds (metals, planets). Name one." in err
    (tmp_path / "mentions.jsonl").write_text(json.dumps({**mention, "world": "planets"}))
    assert "1 mention\n" in run("index", "evaluate", "both", "mentions.jsonl")[1]


MENTIONS = [
    {"left": "drop the", "mention": "anchor", "right": "", "gold": "g1"},
    {"left": "", "mention": "that floats", "right": "", "gold": "g2", "world": "glossary"},
    {"left": "", "mention": "it binds", "right": "", "gold": "g1"},
    {"left": "", "mention": "zebra", "right": "", "gold": None},
    {"left": "", "mention": "zebra", "right": "", "gold": "g9"},
    {"left": "", "mention": "zebra", "right": ""},
]


def test_evaluate(run, tmp_path):
    """Two of three golds stand first, the third is found among three."""
    lines = "\n".join(json.dumps(one) for one in MENTIONS)
    (tmp_path / "mentions.jsonl").write_text(lines)
    status, out, err = run("index", "evaluate", "index", "mentions.jsonl", "--cutoffs", "3", "1")
    assert status == 0, err
    assert out.startswith(
        "3 mentions\n"
        "1 more for which no entity is right, not counted\n"
        "1 more whose gold is no entity of the index, not counted\n"
        "1 more without a gold, not counted\n"
        "recall@1     66.7  ("
    )
    assert "recall@3    100.0  (43.9 to 100.0)\n"  # Wilson: 100 * 3 / (3 + 1.96 ** 2) in out
    assert "all worlds: 2 mentions, @1 50.0  @3 100.0\n" in out
    assert "MRR " in out and ": 1 mention, " in out and "has rank" not in out
    assert (
        "golds that are no entities of the index: 1, the first in mentions.jsonl, line 5: 'g9'"
        in err
    )
    _, out, _ = run("index", "evaluate", "index", "mentions.jsonl", "--cutoffs", "1", "--json")
    found = json.loads(out)
    assert (found["none"], found["missing"], found["unlabelled"]) == (1, 1, 1)
    assert found["scores"]["hits"] == {"1": 2}
    assert found["mrr"] == pytest.approx(2 / 3)
    (miss,) = found["misses"]
    assert miss["rank"] == 0 and miss["first"] != miss["gold"]
    low, high = found["scores"]["worlds"]["all worlds"]["interval"]["1"]
    assert 0 < low < 50 < high < 100
    call = ["index", "evaluate", "index", "mentions.jsonl", "--cutoffs", "3", "--misses"]
    _, out, _ = run(*call, "--trec", "own")
    (line,) = (line for line in out.splitlines() if "has rank" in line)
    assert line.startswith(f"{miss['place']}: {miss['mention']!r}: {miss['gold']} has rank ")
    assert f"first: {miss['title']} ({miss['first']})" in line
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "own.qrels")))
    ranked = list(ir_measures.read_trec_run(str(tmp_path / "own.run")))
    measured = ir_measures.calc_aggregate([ir_measures.Success @ 1, ir_measures.RR], qrels, ranked)
    assert measured[ir_measures.Success @ 1] == pytest.approx(2 / 3)
    assert f"MRR         {measured[ir_measures.RR]:.3f}\n" in out
    (tmp_path / "mentions.jsonl").write_text(json.dumps(MENTIONS[3]))
    _, _, err = run("index", "evaluate", "index", "mentions.jsonl")
    assert "no mention has a gold that is an entity of index" in err
    for wrong in (["0"], ["4", "-1"], []):
        _, _, err = run("index", "evaluate", "index", "mentions.jsonl", "--cutoffs", *wrong)
        assert "--cutoffs: expected numbers of candidates from 1 on" in err
