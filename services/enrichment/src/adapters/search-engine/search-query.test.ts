import { expect, test } from '@jest/globals';
import { countedSets, pageBody } from './search-query.ts';

const people = Int32Array.from({ length: 70_000 }, (_, at) => at);
const domains = Array.from(people, at => `d${at}.example`);
const members = { people, companies: people, domains };

// Each list has people, companies and domains; the people to skip are one more.
test.each([
  ['lists of wanted and excluded people', members, 7],
  ['a list of excluded people', undefined, 4],
])('no clause has more values than the engine accepts, for %s', (_, wanted, lists) => {
  const asked = { filters: {}, members: { wanted, excluded: members }, skip: people };
  const queries = countedSets(asked, true).flatMap(({ query, excluded }) =>
    [query ?? [], excluded ?? []].flat(),
  );
  for (const query of [pageBody(asked, 0, 10), ...queries]) {
    const sizes: number[] = [];
    JSON.stringify(query, (name, value) => {
      if (name === 'terms') sizes.push(...Object.values<[]>(value).map(({ length }) => length));
      return value;
    });
    expect(Math.max(...sizes)).toBe(65_536);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(lists * people.length);
  }
});
