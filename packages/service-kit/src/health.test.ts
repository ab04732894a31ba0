import { describe, expect, it } from '@jest/globals';
import { createHealth } from './health.ts';

describe('readiness', () => {
  it('is given when every dependency answers', async () => {
    expect(await createHealth({ postgres: async () => undefined }).report()).toEqual({
      ready: true,
      checks: { postgres: 'ok' },
    });
  });

  it('names the dependency that fails', async () => {
    const health = createHealth({
      postgres: async () => undefined,
      redis: () => Promise.reject(new Error('away')),
    });
    expect(await health.report()).toEqual({ ready: false, checks: { postgres: 'ok', redis: 'failed' } });
  });

  it('is not touched by what is only worth knowing', async () => {
    const advisory = {
      name: 'port_25',
      status: 'failed',
      text: 'Closed.',
      seenAt: '2026-01-01T00:00:00Z',
    } as const;
    const health = createHealth({ postgres: async () => undefined }, () => [advisory]);
    expect(await health.report()).toEqual({
      ready: true,
      checks: { postgres: 'ok' },
      advisories: [advisory],
    });
  });

  it('is withdrawn as soon as the service stops', async () => {
    const health = createHealth({});
    health.markStopping();
    expect(await health.report()).toEqual({ ready: false, checks: { service: 'stopping' } });
  });
});
