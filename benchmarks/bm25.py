"""Measures BM25: our queries per second against bm25s' own retrieval, of the same words."""

import numpy as np

from benchmarks.context import Context
from benchmarks.rows import Findings, Row
from benchmarks.timing import in_turn

DOCUMENTS, WORDS, QUERIES, SHOWN = 5000, 200, 1000, 64


def run(context: Context) -> Findings:
    """Use one world's descriptions, or synthetic ones with Zipf's frequencies of words."""
    import bm25s

    from muver.retriever.corpus.texts import split
    from muver.retriever.retrieval.exact import rank_scores
    from muver.retriever.retrieval.kinds.bm25 import BM25, SHORTEST

    case = context.case
    texts, queries = case.texts, case.queries
    if not texts or not queries:
        texts, queries = _made()
    index = BM25(texts)
    candidate_of = np.arange(len(texts))
    library = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    library.index(split(texts, SHORTEST), create_empty_token=False, show_progress=False)
    shown = min(SHOWN, len(texts))
    timed = in_turn(
        {
            "bm25s": lambda: library.retrieve(
                split(queries, SHORTEST), k=shown, show_progress=False
            ),
            "ours": lambda: rank_scores(index.scores(queries), candidate_of, shown),
        },
        context.options.repetitions,
    )
    plain, ours = timed["bm25s"], timed["ours"]
    findings = Findings()
    findings.rows.append(
        Row.compared(
            "BM25",
            f"{len(texts):,} documents, best {shown}",
            "queries/s",
            plain.each,
            ours.each,
            len(queries),
            f"{len(queries)} queries; the baseline is bm25s' own retrieve()",
        )
    )
    scores = np.sort(plain.result.scores, axis=1)[:, ::-1]
    same = np.allclose(np.sort(ours.result.scores, axis=1)[:, ::-1], scores, rtol=1e-5, atol=1e-5)
    findings.agree(bool(same), "BM25: scores of the best documents are those of bm25s")
    return findings


def _made() -> tuple[list[str], list[str]]:
    random = np.random.Generator(np.random.PCG64(2))
    words = np.array([f"word{number}" for number in range(30000)])
    chance = 1 / np.arange(1, len(words) + 1)
    chance /= chance.sum()
    drawn = random.choice(words, (DOCUMENTS, WORDS), p=chance)
    asked = random.choice(words[100:], (QUERIES, 2))
    return [" ".join(row) for row in drawn], [" ".join(row) for row in asked]
