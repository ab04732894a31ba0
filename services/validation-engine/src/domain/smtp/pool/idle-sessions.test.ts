import { describe, expect, it } from '@jest/globals';
import { createIdleSessions } from './idle-sessions.ts';
import { idleSessionsMax } from './limits.ts';

const host = () => ({ idle: [] as ((hasWork: boolean) => void)[] });

describe('idle sessions', () => {
  it('end in the order in which they began to wait, where there are too many over all hosts', async () => {
    const sessions = createIdleSessions();
    const hosts = Array.from({ length: idleSessionsMax + 2 }, host);
    const waits = hosts.map(each => sessions.wait(each));
    expect(await Promise.all(waits.slice(0, 2))).toEqual([false, false]);
    expect(hosts.map(({ idle }) => idle.length)).toEqual([0, 0, ...hosts.slice(2).map(() => 1)]);
    for (const { idle } of hosts) {
      idle[0]?.(true);
    }
    expect(await Promise.all(waits.slice(2))).toEqual(hosts.slice(2).map(() => true));
  });

  it('that have been given work are no longer there to be ended', async () => {
    const sessions = createIdleSessions();
    const [busy, idle] = [host(), host()];
    const waits = [sessions.wait(busy), sessions.wait(idle)];
    busy.idle[0]?.(true);
    sessions.endOldest();
    sessions.endOldest();
    expect(await Promise.all(waits)).toEqual([true, false]);
  });
});
