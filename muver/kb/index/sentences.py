"""Sentences of descriptions, by parameters of Punkt that an index keeps.

The sentences of a description must not depend on other entities, so nothing is learnt from
these. Without parameters of one's own, a full stop ends a sentence where white space and no
lower-case letter follow, but not after the abbreviations below.
"""

from pathlib import Path

from nltk.tokenize.punkt import PunktParameters

from muver.io.errors import InputError
from muver.retriever.views import punkt
from muver.retriever.views.files import punkt_fingerprint

ABBREVIATIONS = """
adm al apr aug ave blvd bros c ca capt cf ch cmdr co col corp dec dept dr e.g ed eds esp est etc feb
fig figs fl gen gov hon i.e inc jan jr jul jun lt ltd maj mar max messrs min mr mrs ms mt no nos nov
oct op p pl pp prof pt rd ref rep rev sen sep sept sgt sr st u.k u.s vol vols vs
"""


def keep(given: str | Path | None, folder: Path) -> str:
    """Write the parameters of a folder, such as `muver stage segment` writes, or ours.

    Their fingerprint is returned.
    """
    if given is None:
        parameters = PunktParameters()
        parameters.abbrev_types = set(ABBREVIATIONS.split())
    else:
        if not Path(given).is_dir():
            raise InputError(f"--punkt {given}: no such folder.")
        parameters = punkt.load(given)
    punkt.save(parameters, folder)
    return punkt_fingerprint(folder)
