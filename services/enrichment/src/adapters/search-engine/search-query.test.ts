import { expect, test } from '@jest/globals';
import { countSearches, pageBody } from './search-query.ts';

test('no clause has more values than the engine accepts', () => {
  const people = Int32Array.from({ length: 70_000 }, (_, at) => at);
  const domains = Array.from(people, at => `d${at}.example`);
  const members = { people, companies: people, domains };
  const asked = { filters: {}, members: { wanted: members, excluded: members }, skip: people };
  const counted = countSearches(asked, { withFacets: true, shards: 1 });
  for (const body of [pageBody(asked, 0, 10), ...counted.map(search => search.body)]) {
    const sizes: number[] = [];
    JSON.stringify(body, (name, value) => {
      // The terms of a facet have a field, and no values.
      if (name === 'terms' && !value.field)
        sizes.push(...Object.values<[]>(value).map(({ length }) => length));
      return value;
    });
    expect(Math.max(...sizes)).toBe(65_536);
    // Both lists have people, companies and domains; the people to skip make the seventh.
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(7 * people.length);
  }
});
