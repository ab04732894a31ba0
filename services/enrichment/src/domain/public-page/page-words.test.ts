import { describe, expect, it } from '@jest/globals';
import { pageText } from '../../adapters/outside/page-text.ts';
import { parsePage } from '../../adapters/outside/visit-page.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import type { PageFacts } from './forbidden-pages.ts';
import { pageWords } from './page-words.ts';

const site = parseProfileUrl('https://acme.example/') as ProfileUrl;
const wordsOf = (html: string) => pageWords(parsePage(html) as PageFacts, pageText(html), site);

const page = `<!doctype html><html><head><title>Acme | Warehouse robots</title>
<meta name="description" content="Acme builds robots that move pallets between shelves.">
<style>.styled { color: red }</style><script>const scripted = 1</script></head>
<body><nav><a>Careers</a></nav><div class="cookie-banner">We use biscuits.</div>
<h1>Faster picking</h1><p>Software plans the routes of forklifts. Write to ada@acme.example or call +49 30 901820.</p>
<p hidden>Secretly</p><p style="display: none">Invisibly</p>
<footer>Imprint Ada Lovelace</footer></body></html>`;

describe('the words of a website', () => {
  it('are those of its description, title and visible text', () => {
    const words = Object.keys(wordsOf(page) ?? {});
    expect(words).toEqual(
      'build faster forklift move pallet picking plan robot route shelve software warehouse write call'
        .split(' ')
        .sort(),
    );
  });

  it('count more the earlier they are said, first of all in the description', () => {
    const words = wordsOf(page) ?? {};
    expect(words['pallet']).toBeGreaterThan(words['warehouse'] ?? 0);
    expect(words['warehouse']).toBeGreaterThan(words['forklift'] ?? 0);
  });

  it('prefer what the page says in JSON-LD', () => {
    const json = { '@type': 'Organization', name: 'Acme', description: 'Rents cranes to harbors.' };
    const words = wordsOf(
      page.replace('<title>', `<script type="application/ld+json">${JSON.stringify(json)}</script><title>`),
    );
    expect(words).toHaveProperty('crane', 2);
    expect(words).not.toHaveProperty('pallet');
  });

  it('are none on a page that a script fills', () => {
    expect(
      wordsOf('<title>App</title><div id="root"></div><noscript>Enable it to run this.</noscript>'),
    ).toBeNull();
  });

  it.each([
    ['many elements that close nothing', `${'<i>'.repeat(400)}${'</b>'.repeat(400_000)}`],
    ['one long line', 'word '.repeat(400_000)],
    ['many at signs', '@'.repeat(2_000_000)],
    ['many digits', '1 '.repeat(1_000_000)],
    [
      'a long name',
      `<meta property="og:site_name" content="${'a '.repeat(2_000)}"><p>${'a '.repeat(900_000)}`,
    ],
  ])('are read within seconds from %s', (_what, html) => {
    const startedMs = performance.now();
    wordsOf(html);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('are none of elements that are nested too deeply', () => {
    expect(parsePage('<p><b>'.repeat(100_000))).toBeUndefined();
  });
});
