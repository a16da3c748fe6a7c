// The sign test for any selection of mentions, each of which counts as independent. The tables swap
// whole documents (muver/retriever/evaluation/significance.py), which is the same where each has one mention.

// Two-sided exact p-value of `won` against `lost` mentions, each of which goes either way with
// probability 1/2.
function signTest(won, lost) {
  const total = won + lost;
  if (won === lost) return 1;
  let term = -total * Math.LN2; // log of the probability of 0 of `total`
  let sum = Math.exp(term);
  for (let n = 1; n <= Math.min(won, lost); n++) {
    term += Math.log((total - n + 1) / n);
    sum += Math.exp(term);
  }
  return Math.min(1, 2 * sum);
}

function probability(p) {
  return p < 0.001 ? "p < 0.001" : `p = ${p.toFixed(3)}`;
}
