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

  it('is not affected by advisories', async () => {
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

  it('asks each dependency once a second for any number of clients, and shares pending checks', async () => {
    let nowMs = 0;
    let asked = 0;
    let answer: () => void = () => undefined;
    const check = () => {
      asked += 1;
      return new Promise<void>(resolve => {
        answer = resolve;
      });
    };
    const health = createHealth({ postgres: check }, undefined, () => nowMs);
    const reports = Array.from({ length: 100 }, () => health.report());
    nowMs = 1_500;
    reports.push(health.report());
    answer();
    expect((await Promise.all(reports)).every(({ ready }) => ready)).toBe(true);
    expect(asked).toBe(1);
    // The second counts from the start of the report, which ended half a second ago.
    const next = [health.report(), health.report()];
    answer();
    await Promise.all(next);
    expect(asked).toBe(2);
    nowMs += 999;
    await health.report();
    expect(asked).toBe(2);
  });

  it('is withdrawn at once while a report is made or remembered', async () => {
    let answer: () => void = () => undefined;
    const health = createHealth({
      postgres: () =>
        new Promise<void>(resolve => {
          answer = resolve;
        }),
    });
    const inFlight = health.report();
    health.markStopping();
    answer();
    const stopping = { ready: false, checks: { service: 'stopping' } };
    expect([await inFlight, await health.report()]).toEqual([stopping, stopping]);
  });

  it('is not reported before the service has started, even if its dependencies are ready', async () => {
    const health = createHealth({ postgres: async () => undefined });
    health.markStarting();
    expect(health.isStarting()).toBe(true);
    expect(await health.report()).toEqual({ ready: false, checks: { service: 'starting' } });
    health.markStarted();
    expect(health.isStarting()).toBe(false);
    expect(await health.report()).toEqual({ ready: true, checks: { postgres: 'ok' } });
  });

  it('is withdrawn as soon as the service stops', async () => {
    const health = createHealth({});
    health.markStopping();
    expect(await health.report()).toEqual({ ready: false, checks: { service: 'stopping' } });
  });
});
