// What the search of the guide does beside the generator's own: pages that say how come before pages that say
// what, why, and how it was decided; a word of others is looked up under ours, by the glossary.
"use strict";

// By the folder of a page, from the first to the last; a heading that has the words counts as much as a folder.
const RANKS = ["decisions", "explanation", "reference", "cookbooks", "tutorial", "howto"];
const OF_A_FOLDER = 1000;
const OF_A_TITLE = 100;
const OF_OUR_WORD = -50;

Scorer.score = ([page, , , , score, , kind]) => {
  const rank = RANKS.indexOf(page.split("/")[0]);
  return rank * OF_A_FOLDER + (kind === SearchResultKind.title || score >= Scorer.title ? OF_A_TITLE : 0) + score;
};

// A time of day is one word, as it is in the index.
splitQuery = (query) => query.match(/\d{1,2}:\d{2}|[\p{Letter}\p{Number}_\p{Emoji_Presentation}]+/gu) ?? [];

// The query with each of our words in place of those of others that it has.
const asWeSay = (query) => {
  const said = query.toLowerCase().replace(/[\s-]+/g, " ").trim();
  return JSON.parse(document.querySelector("form[data-words]").dataset.words)
    .filter(([others]) => ` ${said} `.includes(` ${others} `))
    .map(([others, ours]) => ` ${said} `.replace(` ${others} `, ` ${ours} `).trim())
    .filter((ours) => ours !== said);
};

const _searchWords = Search._performSearch;

// The results of the query and of what we say instead, each page once, the best last, as they are shown from the end.
Search._performSearch = (query, ...terms) => {
  const ours = [...new Set(asWeSay(query))];
  const found = [_searchWords(query, ...terms)];
  for (const one of ours) {
    const asked = Search._parseQuery(one);
    const more = _searchWords(...asked);
    // What is shown of a page is the place of the word that was found last.
    asked[1].forEach((word) => terms[0].add(word));
    more.forEach((result) => (result[4] += OF_OUR_WORD));
    found.push(more);
  }
  const shown = document.getElementById("also-searched");
  shown.hidden = ours.length === 0;
  shown.textContent = `Also searched for: ${ours.join(", ")}.`;
  const best = new Map();
  for (const one of found.flat()) {
    const place = one[0] + one[2];
    if (!best.has(place) || best.get(place)[4] < one[4]) best.set(place, one);
  }
  // A page that is found by one of its headings leads there, and is not shown once more.
  for (const [page, , anchor] of [...best.values()]) if (anchor) best.delete(page);
  return [...best.values()].sort(_orderResultsByScoreThenName);
};
