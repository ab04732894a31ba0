import { describe, expect, it } from '@jest/globals';
import { areas, findPages, searchesFor } from './pages.ts';

const labels = (text: string) => findPages(text).map(({ label }) => label);

describe('the pages of the command palette', () => {
  it('are all shown without a text, the areas first', () => {
    expect(labels(' ').slice(0, areas.length)).toEqual(areas.map(({ label }) => label));
    expect(new Set(labels('')).size).toBe(findPages('').length);
  });

  it.each([
    ['webh', ['Webhooks']],
    ['KEYS api', ['API keys']],
    ['bounce', ['Delivery reports']],
    ['people s', ['Saved', 'New people search', 'Saved lists']],
    ['new sea', ['New people search', 'New company search', 'New lookalike search']],
    ['nothing like this', []],
  ])('are found by %j', (text, found) => expect(labels(text)).toEqual(found));

  it('have one key for each area', () => {
    expect(new Set(areas.map(({ key }) => key)).size).toBe(areas.length);
  });

  it('are followed by searches for the text, if there is one', () => {
    expect(searchesFor('  ')).toEqual([]);
    expect(searchesFor(' ada ')[0]).toEqual({
      label: 'Search saved people for “ada”',
      open: { to: '/saved', search: { text: 'ada' } },
    });
  });
});
