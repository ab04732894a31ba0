import { describe, expect, it } from '@jest/globals';
import { pageText } from '../../adapters/outside/page-text.ts';
import { parsePage } from '../../adapters/outside/visit-page.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { pageWords } from './page-words.ts';

const site = parseProfileUrl('https://acme.example/') as ProfileUrl;
async function wordsOf(html: string, of = site) {
  const facts = await parsePage(html);
  return facts ? pageWords(facts, await pageText(html), of) : null;
}

const page = `<!doctype html><html><head><title>Acme | Warehouse robots</title>
<meta name="description" content="Acme builds robots that move pallets between shelves.">
<style>.styled { color: red }</style><script>const scripted = 1</script></head>
<body><nav><a>Careers</a></nav><div class="cookie-banner">We use biscuits.</div>
<h1>Faster picking</h1><p>Software plans the routes of forklifts. Write to ada@acme.example or call +49 30 901820.</p>
<p hidden>Secretly</p><p style="display: none">Invisibly</p>
<footer>Imprint Ada Lovelace</footer></body></html>`;

describe('the words of a website', () => {
  it('are those of its description, title and visible text', async () => {
    const words = Object.keys((await wordsOf(page)) ?? {});
    expect(words).toEqual(
      'build faster forklift move pallet picking plan robot route shelve software warehouse write call'
        .split(' ')
        .sort(),
    );
  });

  it('count more the earlier they are said, first of all in the description', async () => {
    const words = (await wordsOf(page)) ?? {};
    expect(words['pallet']).toBeGreaterThan(words['warehouse'] ?? 0);
    expect(words['warehouse']).toBeGreaterThan(words['forklift'] ?? 0);
  });

  it('prefer what the page says in JSON-LD', async () => {
    const json = { '@type': 'Organization', name: 'Acme', description: 'Rents cranes to harbors.' };
    const words = await wordsOf(
      page.replace('<title>', `<script type="application/ld+json">${JSON.stringify(json)}</script><title>`),
    );
    expect(words).toHaveProperty('crane', 2);
    expect(words).not.toHaveProperty('pallet');
  });

  it('are those of the company, not of the founder whom the page names', async () => {
    const founder = {
      '@type': 'Person',
      name: 'Jane Doe',
      description: 'Runs marathons and hosts podcasts.',
    };
    const company = { '@type': 'Organization', name: 'Acme', description: 'Rents cranes to harbors.' };
    const json = JSON.stringify({ '@graph': [founder, company] });
    const words = await wordsOf(
      page.replace('<title>', `<script type="application/ld+json">${json}</script><title>`),
    );
    expect(words).toHaveProperty('crane');
    expect(words).not.toHaveProperty('marathon');
  });

  it('leave out addresses among the keywords', async () => {
    const company = {
      '@type': 'Organization',
      name: 'Acme',
      description: 'Rents cranes.',
      knowsAbout: ['jane.doe@acme.example', 'harbors'],
    };
    const words = await wordsOf(
      page.replace(
        '<title>',
        `<script type="application/ld+json">${JSON.stringify(company)}</script><title>`,
      ),
    );
    expect(Object.keys(words ?? {})).not.toEqual(expect.arrayContaining(['jane']));
  });

  it('keep words that only contain the name of the domain', async () => {
    const art = parseProfileUrl('https://art.example/') as ProfileUrl;
    const words = await wordsOf(
      '<p>Start parties smart cart departure artificial artist quartz partner carton chart</p>',
      art,
    );
    expect(Object.keys(words ?? {})).toEqual(expect.arrayContaining(['smart', 'cart', 'chart']));
  });

  it('are those of a whole page, however it is indented', async () => {
    const indent = ' '.repeat(60);
    const lines = Array.from({ length: 200 }, (_, at) => `${indent}<p>\n${indent}word${at}a\n${indent}</p>`);
    expect(Object.keys((await wordsOf(lines.join('\n'))) ?? {})).toContain('word199a');
  });

  it('are read in parts, so that other work has its turn', async () => {
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
    }, 0);
    await wordsOf(`<p ${'a=1 '.repeat(400_000)}>text</p>`);
    clearInterval(timer);
    expect(turns).toBeGreaterThan(10);
  });

  it('are none on a page that a script fills', async () => {
    expect(
      await wordsOf('<title>App</title><div id="root"></div><noscript>Enable it to run this.</noscript>'),
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
  ])('are read within seconds from %s', async (_what, html) => {
    const startedMs = performance.now();
    await wordsOf(html);
    expect(performance.now() - startedMs).toBeLessThan(5_000);
  });

  it('are none of elements that are nested too deeply', async () => {
    expect(await parsePage('<p><b>'.repeat(100_000))).toBeUndefined();
  });
});
