import { describe, expect, test } from '@jest/globals';
import { healthChecks } from './health-checks.ts';

describe('the health checks of containers', () => {
  const container = (id: string, check: object | undefined, running = true) => ({
    Id: id,
    State: { Running: running },
    Config: { ...(check && { Healthcheck: check }) },
  });

  test('have the interval that the container names, or the default', () => {
    const inspected = [
      container('a', { Test: ['CMD', 'node', '/app/is-ready.mjs'], Interval: 10_000_000_000 }),
      container('b', { Test: ['CMD-SHELL', 'redis-cli ping'] }),
    ];
    expect(healthChecks(JSON.stringify(inspected))).toEqual([
      { id: 'a', intervalMs: 10_000 },
      { id: 'b', intervalMs: 30_000 },
    ]);
  });

  test('are those of running containers that have one', () => {
    const inspected = [
      container('a', undefined),
      container('b', { Test: ['NONE'] }),
      container('c', { Test: [] }),
      container('d', { Test: ['CMD', 'true'] }, false),
    ];
    expect(healthChecks(JSON.stringify(inspected))).toEqual([]);
  });
});
