"""Pages of wikis: exports of MediaWiki cut into pages, titles, wikitext as readers see it."""
