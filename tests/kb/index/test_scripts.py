"""A folder of texts in four scripts, imported and asked for titles and for what stands last."""

import json

import pytest

from muver import Index, Mention
from muver.cli import main

TEXTS = {
    "zh": [
        ("老王", "他住在北京。\n他是铁匠\n造了银灯笼"),
        ("老李", "他住在上海。\n他是面包师\n烤了黑面包"),
        ("小王", "他住在广州。\n他是木匠\n做了红木门"),
    ],
    "hi": [
        ("दिल्ली", "यह एक नगर है।\nनदी यमुना\nयहाँ लाल किला बना"),
        ("दाल", "यह एक भोजन है।\nरंग पीला\nइसमें हल्दी मिली"),
        ("दिलीप", "वह एक लोहार था।\nगाँव केल्द\nउसने चाँदी का दीपक गढ़ा"),
    ],
    "ar": [
        ("مُحَمَّد", "ولد في دمشق.\nكان حداداً\nصنع فانوس الفضة"),
        ("مَحمود", "ولد في حلب.\nكان خبازاً\nخبز الخبز الأسود"),
        ("مريم", "ولدت في بغداد.\nكانت نجارة\nصنعت الباب الأحمر"),
    ],
    "el": [
        ("Άρης", "Γεννήθηκε στην Κέλντα.\nΣιδεράς;\nΈφτιαξε το ασημένιο φανάρι"),
        ("Άρτεμις", "Γεννήθηκε στη Θήβα.\nΦούρναρης\nΈψησε το μαύρο ψωμί"),
        ("ΆΝΝΑ", "Γεννήθηκε στην Τήνο.\nΜαραγκός\nΈστησε την κόκκινη πόρτα"),
    ],
}


@pytest.fixture
def kb(tmp_path):
    """Import a file of each language."""
    for name, texts in TEXTS.items():
        lines = ({"id": n, "title": title, "text": text} for n, (title, text) in enumerate(texts))
        path = tmp_path / f"{name}.jsonl"
        path.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines))
    files = sorted(map(str, tmp_path.glob("*.jsonl")))
    assert main(["kb", "import", *files, "--out", str(tmp_path / "kb")]) == 0
    return tmp_path / "kb"


def test_each_title_and_a_fact_of_the_last_line_come_first(kb, tmp_path):
    index = Index.create(tmp_path / "index", kb, "bm25")
    for world, texts in TEXTS.items():
        for number, (title, text) in enumerate(texts):
            for asked in (title, title.casefold(), text.split("\n")[-1]):
                for named in (world, None):
                    (best,) = index.retrieve([Mention(asked, world=named)], 1)[0]
                    assert (best.document_id, best.world) == (str(number), world), asked


def test_each_line_is_in_a_view(kb, model, tmp_path):
    index = Index.create(tmp_path / "index", kb, model)
    for world, texts in TEXTS.items():
        for number, (_, text) in enumerate(texts):
            own = index.views(str(number), world)
            said = " ".join(own.part(n, 0, 0).text for n in range(len(own.views)))
            assert all(line in said for line in text.split("\n"))
    assert index.info()["unread_percent"] == 0 and index.info()["views_an_entity"] >= 1
