import { globSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { projectRoot, sharedTestHouse } from '@mailproof/dev-house';
import { look, openChromium, openPage } from '@mailproof/dev-house/chromium';
import type { Browser } from 'playwright-core';
import { brokenLinks, crawl, type SeenPage } from './crawl.ts';

/** What the renderer of the reference always writes to the console. */
const ofRenderer = /^@scalar\/api-reference@[\d.]+$/;

let origin: string;
let browser: Browser;

beforeAll(async () => {
  origin = (await sharedTestHouse()).gatewayUrls[0] ?? '';
  browser = await openChromium();
});

afterAll(() => browser?.close());

describe('the documentation', () => {
  let pages: Map<string, SeenPage>;

  beforeAll(async () => {
    pages = await crawl(origin, ['/docs/', '/llms.txt', '/status', '/docs/reference']);
  });

  it('has every guide and runbook, and leads to the references, the status and the application', () => {
    const guides = globSync('docs/{,runbooks/}*.md', { cwd: projectRoot })
      .filter(file => !file.endsWith('README.md'))
      .map(file => `/docs/${file.slice('docs/'.length, -'.md'.length).toLowerCase()}`);
    expect(guides.length).toBeGreaterThan(40);
    const visited = [...pages.keys()];
    expect(visited).toEqual(expect.arrayContaining(guides));
    expect(visited).toEqual(
      expect.arrayContaining(['/docs/reference/app', '/docs/errors', '/docs/changelog', '/openapi.json']),
    );
    for (const path of ['/docs/', '/docs/reference', '/docs/errors/rate_limited', '/status']) {
      expect({ path, links: pages.get(path)?.links }).toEqual({
        path,
        links: expect.arrayContaining(['/app']),
      });
    }
  });

  it('has no broken link, as pages and as Markdown', async () => {
    expect(await brokenLinks(origin, pages)).toEqual([]);
  });

  it('is there as Markdown too, page by page', async () => {
    const guides = [...pages.keys()].filter(path => /^\/docs\/(?!errors\/|reference)[^.]+$/.test(path));
    expect(guides.length).toBeGreaterThan(60);
    const missing = [];
    for (const path of guides) {
      const response = await fetch(`${origin}${path}.md`);
      if (!(await response.text()).startsWith('# ')) missing.push(path);
    }
    expect(missing).toEqual([]);
  });

  it('has a title and a description on each page, and no title twice', () => {
    const html = [...pages.values()].filter(({ isPage }) => isPage);
    expect(html.length).toBeGreaterThan(60);
    const unnamed = html.filter(({ title, description }) => title === '' || description === '');
    expect(unnamed.map(({ path }) => path)).toEqual([]);
    const titles = html.map(({ title }) => title);
    expect(titles.filter((title, at) => titles.indexOf(title) < at)).toEqual([]);
  });
});

describe.each([
  ['guide', '/docs/quick-start', 'Quick start for programs'],
  ['list', '/docs/', 'Documentation'],
  ['reference', '/docs/reference', 'Mailproof API'],
  ['status', '/status', 'Everything works'],
])('the page %s', (name, path, heading) => {
  it.each([
    ['light', 1280],
    ['light', 390],
    ['dark', 1280],
    ['dark', 390],
  ] as const)(
    'is accessible, loads from this installation only and keeps the policy: %s at %d pixels',
    async (colorScheme, width) => {
      const { context, page, complaints } = await openPage(browser, {
        colorScheme,
        reducedMotion: 'reduce',
        viewport: { width, height: 844 },
      });
      const elsewhere: string[] = [];
      page.on('request', request => {
        if (new URL(request.url()).origin !== origin) elsewhere.push(request.url());
      });
      await page.goto(`${origin}${path}`, { waitUntil: 'networkidle' });
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      const { overflow, violations } = await look(page, 'docs', `${name}-${colorScheme}-${width}`);
      expect({ overflow, violations, elsewhere }).toEqual({ overflow: 0, violations: [], elsewhere: [] });
      expect(complaints.filter(text => !ofRenderer.test(text))).toEqual([]);
      await context.close();
    },
  );
});

it('the search finds a guide and an error code, without a request to another host', async () => {
  const { context, page, complaints } = await openPage(browser);
  await page.goto(`${origin}/docs/`);
  for (const [words, found] of [
    ['sandbox test key', '/docs/sandbox'],
    ['idempotency_key_reused', '/docs/errors#idempotency_key_reused'],
  ] as const) {
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByRole('searchbox').fill(words);
    await page.locator(`.results a[href^="${found}"]`).first().click();
    await page.waitForURL(url => `${url.pathname}${url.hash}`.startsWith(found));
  }
  expect(complaints).toEqual([]);
  await context.close();
});

it('the reference shows examples in curl, TypeScript and Python', async () => {
  const { context, page } = await openPage(browser, { viewport: { width: 1280, height: 900 } });
  await page.goto(`${origin}/docs/reference#tag/validation`, { waitUntil: 'networkidle' });
  const operation = page.locator('section', { hasText: 'Validate one email address' }).last();
  await operation.getByText('$MAILPROOF_URL').first().waitFor();
  await operation.getByRole('button', { name: 'curl' }).click();
  await page.getByRole('option', { name: 'Python' }).click();
  await operation.getByText('EmailValidationRequest').first().waitFor();
  await context.close();
});
