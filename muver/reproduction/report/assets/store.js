// The data of the page (its form: muver/reproduction/report/explorer.py), unpacked once, and looked up from here.

async function unpack(base64) {
  if (typeof DecompressionStream === "undefined")
    throw new Error("This browser cannot unpack the data (no DecompressionStream): use one from 2023 or later.");
  const binary = atob(base64.trim());
  const bytes = new Uint8Array(binary.length);
  for (let n = 0; n < binary.length; n++) bytes[n] = binary.charCodeAt(n);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).json();
}

class Store {
  constructor(data) {
    Object.assign(this, data);
    this.size = data.mentions.id.length;
    for (const row of this.rows) {
      row.start = new Uint32Array(this.size + 1);
      for (let m = 0; m < this.size; m++) row.start[m + 1] = row.start[m] + row.counts[m];
    }
    this.haystacks = new Array(this.size);
  }

  row(system) {
    return this.rows.find((row) => row.system === system) || null;
  }

  hit(row, mention, k) {
    return row.rank[mention] > 0 && row.rank[mention] <= k;
  }

  goldLength(mention) {
    return this.entities.sentences[this.mentions.gold[mention]];
  }

  // The sentences of an entity's description.
  text(entity) {
    return this.entities.text[entity];
  }

  // How long an entity's description is, in words.
  length(entity) {
    return counted(this.entities.sentences[entity], "sentence");
  }

  // What the free text is looked for in, in lower case.
  haystack(mention) {
    if (this.haystacks[mention] === undefined) {
      const { id, left, mention: name, right, gold } = this.mentions;
      const parts = [id[mention], left[mention], name[mention], right[mention], this.entities.title[gold[mention]]];
      this.haystacks[mention] = parts.join(" ").toLowerCase();
    }
    return this.haystacks[mention];
  }

  // The candidates of a mention that are kept, best first.
  candidates(row, mention) {
    const found = [];
    for (let n = row.start[mention]; n < row.start[mention + 1]; n++)
      found.push({
        rank: row.place[n],
        entity: row.entity[n],
        score: row.score[n],
        layer: row.layer[n],
        first: row.first[n],
        last: row.last[n],
        gold: row.place[n] === row.rank[mention],
      });
    return found;
  }
}
