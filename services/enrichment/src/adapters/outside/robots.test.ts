import { expect, it } from '@jest/globals';
import type { Outside } from '@mailproof/service-kit';
import { createRobots } from './robots.ts';

it('keeps the rules of many hosts, but no more of them than memory is for', async () => {
  const asked: string[] = [];
  const text = `User-agent: *\nDisallow: /private\n${'# padding\n'.repeat(50_000)}`;
  const outside: Outside = {
    async request({ url }) {
      asked.push(url.host);
      return { status: 200, headers: {}, body: new TextEncoder().encode(text) };
    },
    close: async () => undefined,
  };
  const now = () => new Date('2026-06-01T12:00:00Z');
  const robots = createRobots({ outside, userAgent: 'Test', now });
  const { signal } = new AbortController();
  const ask = (host: number) => robots(new URL(`https://h${host}.test/private`), signal);
  expect([await ask(0), await ask(0)]).toEqual(['forbidden', 'forbidden']);
  expect(asked).toEqual(['h0.test']);
  for (let host = 1; host <= 40; host += 1) await ask(host);
  expect(asked.length).toBe(41);
  await ask(40);
  expect(asked.length).toBe(41);
  await ask(0);
  expect(asked.length).toBe(42);
});
