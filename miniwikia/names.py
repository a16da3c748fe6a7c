"""Made-up words for names, in the style of sound of one world."""

from miniwikia.chance import Chance

_ONSETS = [*"bcdfghjklmnprstvwz", "th", "sh"]
_CLUSTERS = ["br", "bl", "cr", "dr", "dw", "fl", "gr", "gw", "kn", "kv", "pr"]
_CLUSTERS += ["qu", "rh", "sh", "sl", "st", "tr", "tw", "vl", "vr", "wh", "zh"]
_NUCLEI = list("aeiouy")
_DIPHTHONGS = ["ae", "ai", "au", "ea", "ei", "ia", "io", "oa", "ou"]
_MIDDLES = list("lmnrs")
_CODAS = ["d", "g", "k", "l", "ld", "ll", "lm", "m", "n", "nd", "nn", "r", "rd", "rk", "rn", "s"]
_CODAS += ["sh", "sk", "ss", "st", "t", "th", "v", "x"]


class WordMaker:
    """Makes new words for names, without end and none of them twice.

    A world's words sound alike: it uses only some of the consonants, vowels and endings. They have
    at least three syllables, and more as more are made, so that two worlds hardly ever make the
    same word; the writer refuses two worlds that do. ``reserved`` are the lexicon's words in lower
    case, which are never names.
    """

    def __init__(self, chance: Chance, reserved: frozenset[str]):
        self._chance = chance
        self._onsets = chance.shuffled(_ONSETS)[:7], chance.shuffled(_CLUSTERS)[:5]
        self._nuclei = chance.shuffled(_NUCLEI)[:4], chance.shuffled(_DIPHTHONGS)[:2]
        self._middles = chance.shuffled(_MIDDLES)[:2]
        self._codas = chance.shuffled(_CODAS)[:8]
        self._reserved = reserved
        self.made: dict[str, None] = {}

    def fresh(self) -> str:
        """A new capitalised word."""
        while True:
            word = self._word().capitalize()
            if word not in self.made and word.lower() not in self._reserved:
                self.made[word] = None
                return word

    def _word(self) -> str:
        chance = self._chance
        made = len(self.made)
        last = 2 + (made > 2_000 or chance.random() < 0.1) + (made > 5_000)
        pieces = []
        for position in range(last + 1):
            onsets = self._onsets[position == 0 and chance.random() < 0.4]
            # A name with the same consonant twice in a row would stammer.
            pieces.append(chance.pick([onset for onset in onsets if onset not in pieces[-2:]]))
            pieces.append(chance.pick(self._nuclei[chance.random() < 0.15]))
            if position == 0 and chance.random() < 0.3:
                pieces.append(chance.pick(self._middles))
        if chance.random() < 0.7:
            pieces.append(chance.pick(self._codas))
        return "".join(pieces)
