import { Agent, request } from 'undici';
import type { BenchHouse } from './bench-house.ts';
import { askedAtOnce } from './bench-house.ts';

const requestsPerSecond = 100_000;

/** Validates addresses one by one, with the same concurrency as a job; returns the seconds taken. */
export async function measureSingles(
  { house, test }: BenchHouse,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<number> {
  const { apiKey } = await test.open({ credits: addresses.length, requestsPerSecond });
  const url = `${house.gatewayUrls[0]}/api/v1/validate-single-email`;
  const dispatcher = new Agent({ connections: askedAtOnce });
  const startedMs = performance.now();
  const left = [...addresses];
  const askRepeatedly = async () => {
    for (let email = left.pop(); email !== undefined; email = left.pop()) {
      const { statusCode, body } = await request(url, {
        dispatcher,
        method: 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
        body: JSON.stringify({ email }),
        signal,
      });
      const text = await body.text();
      if (statusCode !== 200) {
        throw new Error(`A single validation was answered with ${statusCode}: ${text}`);
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: askedAtOnce }, askRepeatedly));
    return (performance.now() - startedMs) / 1_000;
  } finally {
    await dispatcher.destroy();
  }
}
