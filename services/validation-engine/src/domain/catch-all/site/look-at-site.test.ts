import { expect, test } from '@jest/globals';
import { pageReader } from '../../../adapters/web/page-reader.ts';
import { deadlineAfter } from '../../concurrency/deadline.ts';
import type { WebOutcome } from '../web-client.ts';
import { lookAtSite } from './look-at-site.ts';

const domain = { ascii: 'firma.example', unicode: 'firma.example' };
const clock = { nowMs: () => performance.now() };
const robots = `User-agent: *\n${`Disallow: /*${'*a'.repeat(9)}b\n`.repeat(380)}Disallow: /*contact`;

function answer(body: string, more: Partial<Extract<WebOutcome, { kind: 'response' }>> = {}): WebOutcome {
  const headers = { 'content-type': 'text/html' };
  return { kind: 'response', status: 200, headers, body: Buffer.from(body), ...more };
}

async function lookMs(page: WebOutcome): Promise<number> {
  const startedMs = performance.now();
  const look = await lookAtSite(
    {
      web: { get: async ({ path }) => (path === '/robots.txt' ? answer(robots) : page) },
      reader: pageReader,
      clock,
      madeUpName: () => 'no-such-page',
      roles: new Set(),
      nowMs: Date.now,
    },
    domain,
    deadlineAfter(clock, 20_000, new AbortController().signal),
  );
  expect(look.kind).toBe('read');
  return performance.now() - startedMs;
}

test('many links that robots.txt forbids take little time', async () => {
  const links = Array.from({ length: 1_000 }, (_, at) => `<a href="/${'a'.repeat(180)}${at}/contact">x</a>`);
  expect(await lookMs(answer(links.join('')))).toBeLessThan(1_500);
});

test('redirects to long paths take little time', async () => {
  const location = `/${'a'.repeat(15_000)}`;
  expect(await lookMs(answer('', { status: 302, headers: { location } }))).toBeLessThan(1_500);
});
