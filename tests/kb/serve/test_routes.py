"""The routes, over HTTP."""

import json
import logging
import re
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import pytest
from pydantic import TypeAdapter

from muver.io.progress import logger
from muver.kb.index.entity import Entity
from muver.kb.index.index import Index
from muver.kb.serve import forms
from muver.kb.serve.models import Models, Served
from tests.kb.serve.conftest import TOKEN, WAIT, calibrate, holding, running, until

DEEP = json.loads('{"a":' * 300 + "1" + "}" * 300)
SMITH = {"left": "In spring ", "mention": "the smith", "right": " forged the gate."}


def test_entities_are_ranked_with_their_winning_sentence(town):
    answer = town.call("POST", "/retrieve", {"mentions": [SMITH], "k": 2, "excerpts": True}).json
    assert TypeAdapter(forms.Retrieved).validate_python(answer)
    assert (answer["model"], answer["generation"]) == ("town", 1)
    first, second = answer["results"][0]["candidates"]
    assert answer["results"][0]["none"] is first["probability"] is None
    assert (first["rank"], first["id"], first["world"]) == (1, "smith", "town")
    assert (first["layer"], first["first"], first["last"]) == (0, 1, 1)
    assert first["text"] == "She forged the gate in spring."
    assert first["excerpt"]["before"] == "Anna lives by the river. "
    assert (second["rank"], second["id"]) == (2, "gate")


def test_answers_come_in_the_order_of_the_mentions(town):
    mentions = [{"mention": name} for name in ("bell", "bread", "river")]
    results = town.call("POST", "/retrieve", {"mentions": mentions, "k": 1}).json["results"]
    found = [one["candidates"][0] for one in results]
    assert [one["id"] for one in found] == ["gate", "baker", "smith"]
    assert [one["excerpt"] for one in found] == [None, None, None]


def test_a_client_s_own_fields_come_back(town):
    mentions = [{**SMITH, "asked": {"id": 7, "page": [3]}}, {"mention": "bread"}]
    results = town.call("POST", "/retrieve", {"mentions": mentions, "k": 1}).json["results"]
    assert [one["asked"] for one in results] == [{"id": 7, "page": [3]}, {}]
    assert [one["answer"] for one in results] == ["smith", "baker"]


def serving(folder, entities):
    """A service of an index of words."""
    index = Index.create(folder / "towns", entities, model="bm25")
    return running(models=Models({"towns": Served("towns", index)}))


def test_entities_by_their_other_columns(tmp_path):
    own = [Entity(id=n, title="Vik", further={"country": n}) for n in ("NO", "IS")]
    with serving(tmp_path, own) as service:
        asked = {"mentions": [{"mention": "Vik"}], "where": {"country": "IS"}}
        (found,) = service.call("POST", "/retrieve", asked).json["results"][0]["candidates"]
        assert (found["id"], found["further"]) == ("IS", {"country": "IS"})
        words = {"settings": {"words": {"query": "mention_and_context"}}}
        mention = {"mention": "Ort", "left": "Vik"}
        for more, count in (({}, 0), (words, 2)):
            found = service.call("POST", "/retrieve", {"mentions": [mention], **more}).json
            assert len(found["results"][0]["candidates"]) == count
        for more, said in (
            ({"settings": {"merge": 1}}, "unknown key"),
            ({"settings": {"self": 1}}, "unknown key self"),
            ({"where": {"contry": "IS"}}, "Did you mean 'country'?"),
            ({"where": {"self": "IS"}}, "where self: no entity has such a column"),
        ):
            answer = service.call("POST", "/retrieve", {**asked, **more})
            assert answer.status == 422 and said in answer.said


def test_what_each_view_adds(town):
    answer = town.call("POST", "/explain", {"mention": SMITH, "id": "smith"}).json
    assert TypeAdapter(forms.Explained).validate_python(answer)
    assert answer["entity"]["title"] == "Anna Berg"
    best, other = answer["views"]
    assert (best["share"], other["share"]) == (1.0, 0.0)
    assert best["similarity"] > other["similarity"]
    text = answer["entity"]["description"]
    assert text[best["start"] : best["end"]] == best["text"] == "She forged the gate in spring."
    assert other["text"] == "Anna lives by the river."


def test_none_of_these_where_the_index_is_calibrated(town):
    with running() as service:
        calibrate(service, 0.8)
        mentions = [SMITH, {"mention": "zebra"}]
        results = service.call("POST", "/retrieve", {"mentions": mentions}).json["results"]
        assert [one["none"] for one in results] == [False, True]
        assert results[0]["candidates"][0]["probability"] == pytest.approx(0.934, abs=0.01)
    assert town.call("GET", "/models").json[0]["calibrated"] is False


def test_ids_and_worlds_may_be_told_as_whole_numbers(tmp_path):
    own = [Entity(id="7", title="Vik", world="2"), Entity(id="8", title="Ås", world="2")]
    with serving(tmp_path, own) as service:
        for two, seven in ((2, 7), ("2", "7")):
            mention = {"mention": "Vik", "world": two, "left": None, "right": None}
            found = service.call("POST", "/retrieve", {"mentions": [mention]}).json["results"][0]
            assert (found["answer"], found["world"]) == ("7", "2")
            asked = {"mention": mention, "id": seven, "world": two}
            assert service.call("POST", "/explain", asked).json["entity"]["id"] == "7"
        for wrong in (True, 7.0, None, [7]):
            assert service.call("POST", "/explain", {**asked, "id": wrong}).status == 422


def test_an_entity_by_its_id(town):
    assert town.call("GET", "/entities/gate").json["title"] == "North Gate"
    assert town.call("GET", "/entities/gate?world=town&model=town").status == 200
    there = town.call("GET", "/entities/http%3A%2F%2Fx%2Fy")
    assert there.said == "id 'http://x/y' is not in this index."
    assert town.call("GET", "/entities/gate?world=sea").status == 422
    assert town.call("POST", "/explain", {"mention": SMITH, "id": "nobody"}).status == 404


def test_parameters_of_an_address_are_known_and_come_once(town):
    for path, said in (
        ("/entities/gate?wrld=town", "query 'wrld': unknown. Did you mean 'world'? There are: "),
        ("/entities/gate?world=town&world=sea", "query world: comes twice. Leave one out."),
        ("/models?model=town", "query 'model': unknown. There are: none."),
    ):
        answer = town.call("GET", path)
        assert answer.status == 422 and answer.said.startswith(said)
    for free in ("/", "/health", "/ready", "/metrics"):  # the page, and what probes ask
        assert town.call("GET", f"{free}?from=mail").status == 200


def test_what_is_served():
    with running(names=("small", "large")) as service:
        small, large = service.call("GET", "/models").json
        assert (small["name"], large["name"]) == ("small", "large")
        assert (small["worlds"], small["changes"]) == (["town"], True)
        asked = {"mentions": [SMITH], "model": "large"}
        assert service.call("POST", "/retrieve", asked).json["model"] == "large"
        asked["model"] = "lagre"
        assert "Did you mean 'large'?" in service.call("POST", "/retrieve", asked).said


@pytest.mark.parametrize(
    "given, said",
    [
        ({}, "body mentions: Field required."),
        ({"mentions": []}, "body mentions: "),
        ({"mentions": [{}]}, "body mentions.0.mention: Field required."),
        ({"mentions": [{"mention": ""}]}, "body mentions.0.mention: "),
        ({"mentions": [{"mention": 3}]}, "body mentions.0.mention: Input should be"),
        ({"mentions": [{"mention": "\ud800"}]}, "body mentions.0.mention: "),
        ({"mentions": [{"\ud800": "x", "mention": "x"}]}, "body mentions.0"),
        ({"mentions": [{**SMITH, "left": "\ud800"}]}, "body mentions.0.left: "),
        ({"mentions": [SMITH], "model": "\ud800"}, "body model: "),
        ({"mentions": [SMITH], "where": {"a": "\ud800"}}, "body where.a: "),
        ({"mentions": [SMITH], "weights": {"\ud800": 1.0}}, "body weights."),
        ({"mentions": [SMITH], "settings": {"\ud800": 1}}, "body settings: Value error"),
        ({"mentions": [{"mention": "x", "context": "y"}]}, "body mentions.0.context: Extra inputs"),
        ({"mentions": [SMITH], "k": 0}, "body k: Input should be greater than or equal to 1."),
        ({"mentions": [SMITH], "k": "10"}, "body k: Input should be a valid integer."),
        ({"mentions": [SMITH], "k": 1.5}, "body k: "),
        ({"mentions": [SMITH], "k": 10**9}, "k: 1000000000, 1000 at most."),
        ({"mentions": [SMITH] * 65}, "mentions: 65, 64 at most."),
        ({"mentions": [SMITH] * 20, "k": 600}, "mentions times k: 12000, 5000 at most"),
        ({"mentions": [SMITH, {**SMITH, "left": "x" * 20_000}]}, "mentions.1: 20026 characters"),
        ({"mentions": [{**SMITH, "world": "sea"}]}, "mention 'the smith': world 'sea' is not"),
        ({"mentions": [{**SMITH, "asked": DEEP}]}, "body mentions.0.asked: Value error, expected"),
        ({"mentions": [{**SMITH, "asked": {"a": "\ud800"}}]}, "body mentions.0.asked: Value error"),
        ([], "body: "),
        (3, "body: "),
        ({"x" * 10_000: 1, "mentions": [SMITH]}, "body xxx"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_told_in_a_sentence(town, given, said):
    answer = town.call("POST", "/retrieve", given)
    assert answer.status == 422
    assert answer.said.startswith(said)
    assert len(answer.said) < 500


@pytest.mark.parametrize(
    "body",
    [
        b"", b"{", b"\xff\xfe", b"null", b'{"mentions": ' + b"[" * 100_000,
        b'{"k": 1' + b"0" * 5000, b"NaN", b"\x00" * 100, b'"' + b"\xf0\x9f" + b'"',
    ],
)  # fmt: skip
def test_bodies_that_are_no_json(town, body):
    assert town.call("POST", "/retrieve", body).status in (400, 422)


def test_where_a_body_is_no_json_is_told(town):
    said = town.call("POST", "/retrieve", b'{"k": 3,').said
    assert said.startswith("the body is not valid JSON (") and said.endswith("character 8).")


def test_another_type_of_body_is_refused(town):
    """So that no page elsewhere can post here without being asked for its origin first."""
    body = json.dumps({"mentions": [SMITH]}).encode()
    for kind in ("text/plain", "application/x-www-form-urlencoded"):  # the latter is curl's
        answer = town.call("POST", "/retrieve", body, {"Content-Type": kind})
        assert answer.status == 415 and "-H 'Content-Type: application/json'" in answer.said
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_the_routes_are_described(town):
    assert "openapi.json" in town.call("GET", "/docs").body.decode()
    paths = town.call("GET", "/openapi.json").json["paths"]
    assert {"/retrieve", "/explain", "/entities/{id}", "/metrics"} < paths.keys()


def test_the_page_loads_only_from_here(town):
    page = town.call("GET", "/")
    assert page.headers["content-security-policy"].startswith("default-src 'none'; ")
    files = re.findall(r'(?:src|href)="((?:assets|shared)/[^"]+)"', page.body.decode())
    assert len(files) == 8
    for path in files:
        assert town.call("GET", f"/{path}").status == 200


def test_what_is_not_there(town):
    assert town.call("GET", "/none").status == 404
    assert town.call("GET", "/retrieve").status == 405


def test_requests_that_wait_are_ranked_together_and_apart_again():
    names = {"bell": ["gate"], "bread": ["baker"], "river": ["smith"]}
    with running() as service, holding(service) as held, ThreadPoolExecutor() as pool:
        found = {"first": pool.submit(service.retrieve, "first", k=1)}
        assert held.begun.wait(WAIT)
        for n, text in enumerate(names, start=1):
            found[text] = pool.submit(service.retrieve, text, k=1)
            until(lambda n=n: service.service.waiting == 2 * n)
        held.gate.set()
        assert {text: found[text].result() for text in names} == names
        found["first"].result()
    assert held.calls == [["first"], ["bell", "bread", "river"]]


@pytest.mark.parametrize("log_texts", [False, True])
def test_the_log_has_texts_only_if_asked_to(caplog, log_texts):
    with caplog.at_level(logging.INFO, logger.name), running(log_texts=log_texts) as service:
        service.call("POST", "/retrieve", {"mentions": [SMITH]})
        service.call("POST", "/retrieve", {"mentions": [{**SMITH, "world": "sea"}]})
        service.call("GET", "/entities/the%20smith")
    assert "POST /retrieve: 200 in " in caplog.text
    assert "GET /entities/{id}: 404 in " in caplog.text
    assert ("smith" in caplog.text) is log_texts


BELL = {"title": "The Bell", "description": "It rings when ships come in. It is of bronze."}


def test_an_entity_that_was_added_is_found_at_once_and_can_be_removed():
    with running() as service:
        assert "bell" not in service.retrieve("bronze")
        put = service.call("PUT", "/entities/bell", BELL, token=TOKEN)
        expected = {"model": "town", "generation": 2, "added": 1, "updated": 0, "unchanged": 0,
                    "removed": 0}  # fmt: skip
        assert (put.status, put.json) == (200, expected)
        assert service.retrieve("bronze", k=1) == ["bell"]
        other = {**BELL, "description": "It is of gold."}
        assert service.call("PUT", "/entities/bell", other, token=TOKEN).json["updated"] == 1
        assert service.call("GET", "/entities/bell").json["description"] == "It is of gold."
        assert service.call("DELETE", "/entities/bell", token=TOKEN).json["removed"] == 1
        assert "bell" not in service.retrieve("bronze")
        again = service.call("DELETE", "/entities/bell", token=TOKEN)
        assert (again.status, again.said) == (404, "id 'bell' is not in this index.")


@pytest.mark.parametrize("field", ["title", "description", "aliases", "further", "world"])
def test_half_a_character_of_an_entity_is_refused(field, town):
    half = {"aliases": ["\ud800"], "further": {"a": "\ud800"}}.get(field, "\ud800")
    answer = town.call("PUT", "/entities/bell", {**BELL, field: half}, token=TOKEN)
    assert answer.status == 422 and answer.said.startswith(f"body {field}")


def test_an_entity_can_be_put_back_as_it_was_got():
    with running() as service:
        for id, title in (("bell", "The Bell"), ("колокол/2", ""), ("घंटी", "Bell"), ("7", "")):
            address = f"/entities/{quote(id)}"
            given = {**BELL, "title": title, "id": int(id) if id.isdecimal() else id}
            assert service.call("PUT", address, given, token=TOKEN).json["added"] == 1
            got = service.call("GET", address).json
            assert service.call("PUT", address, got, token=TOKEN).json["unchanged"] == 1
            assert service.call("GET", address).json == got
        assert service.call("PUT", "/entities/%FF", BELL, token=TOKEN).status == 422
        answer = service.call("PUT", "/entities/gate", got, token=TOKEN)
        assert (answer.status, answer.said) == (422, "id '7': the address has another, 'gate'.")


def test_only_the_token_lets_one_change():
    with running() as service:
        wrong = ("Bearer", f"Bearer {TOKEN[:-1]}", f"Bearer {TOKEN}0", f"Basic {TOKEN}", TOKEN,
                 "Bearer \xe9")  # fmt: skip
        for headers in ({}, *({"Authorization": one} for one in wrong)):
            for method in ("PUT", "DELETE"):
                answer = service.call(method, "/entities/smith", BELL, headers)
                assert answer.status == 401
                assert answer.headers["www-authenticate"] == "Bearer"
        assert service.call("GET", "/entities/smith").json["title"] == "Anna Berg"
        shown = {"Authorization": f"bearer {TOKEN}"}
        assert service.call("DELETE", "/entities/smith", headers=shown).status == 200


def test_without_a_token_file_nothing_changes():
    with running(token=None) as service:
        answer = service.call("PUT", "/entities/bell", BELL, token=TOKEN)
        assert answer.status == 403
        assert "--token-file" in answer.said
        assert service.call("GET", "/models").json[0]["changes"] is False


@pytest.mark.parametrize(
    "given",
    [{}, {"title": ""}, {**BELL, "aliases": "x"}, {**BELL, "id": 3}, {**BELL, "id": ""}, []],
)
def test_no_entity(given, town):
    assert town.call("PUT", "/entities/bell", given, token=TOKEN).status == 422


def test_prometheus_reads_counters_histograms_and_gauges(town):
    town.retrieve("bell")
    answer = town.call("GET", "/metrics")
    assert answer.headers["content-type"].startswith("text/plain; version=")
    values = dict(
        line.rsplit(" ", 1) for line in answer.body.decode().splitlines() if line[0] != "#"
    )
    assert float(values['muver_requests_total{method="POST",route="/retrieve",status="200"}']) >= 1
    assert float(values['muver_mentions_total{model="town"}']) >= 1
    buckets = [value for name, value in values.items() if 'le="+Inf",route="/retrieve"' in name]
    assert buckets == [values['muver_request_seconds_count{route="/retrieve"}']]
    assert values["muver_requests_in_hand"] == "1.0"  # this one
    assert values["muver_waiting_tokens"] == "0.0"
    assert values['muver_generation{model="town"}'] == "1.0"
