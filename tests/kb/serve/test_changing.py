"""The routes that change, over HTTP."""

import pytest

from tests.kb.serve.conftest import TOKEN, running
from tests.kb.serve.fake import entity

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
        assert (again.status, again.said) == (404, "no entity 'bell'.")


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
    "given", [{}, {"title": ""}, {**BELL, "aliases": "x"}, {**BELL, "id": "x"}, []]
)
def test_no_entity(given):
    with running() as service:
        assert service.call("PUT", "/entities/bell", given, token=TOKEN).status == 422


def test_the_world_has_to_be_named_where_there_are_several():
    with running() as service:
        sea = {**BELL, "world": "sea"}
        assert service.call("PUT", "/entities/bell", sea, token=TOKEN).json["added"] == 1
        answer = service.call("PUT", "/entities/buoy", BELL, token=TOKEN)
        assert (answer.status, answer.said) == (422, "world: name one. There are: sea, town.")


def test_a_change_by_another_process_is_found_without_a_request_lost():
    with running() as service:
        service.shelves["town"].open().update([entity("bell", "Bell", "It is of bronze.")])
        generations = []
        while not generations or generations[-1] == 1:
            asked = {"mentions": [{"mention": "bronze"}], "k": 1}
            answer = service.call("POST", "/retrieve", asked)
            assert answer.status == 200
            generations.append(answer.json["generation"])
            found = answer.json["results"][0]["candidates"][0]["id"]
            assert found == "bell" or generations[-1] == 1
