import { setImmediate } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import type { Finding } from './examination/finding.ts';
import { createStandingWatch, type StandingWatch } from './standing-watch.ts';

const open: Finding = { check: 'port_25', status: 'ok', sentence: 'Open after 4 ms.' };
const stillOpen: Finding = { ...open, sentence: 'Open after 9 ms.' };
const closed: Finding = { check: 'port_25', status: 'failed', sentence: 'Closed.' };

/** A watch that examines again as soon as the last examination ends, until it has seen everything. */
async function watchOver(looks: readonly (readonly Finding[] | Error)[]) {
  const rest = [...looks];
  const changes: string[] = [];
  const failures: unknown[] = [];
  let nowMs = 0;
  let finish: () => void;
  const finished = new Promise<void>(resolve => {
    finish = resolve;
  });
  const watch: StandingWatch = createStandingWatch({
    async examine(signal) {
      nowMs += 1_000;
      const found = rest.shift();
      if (found === undefined) {
        finish();
        return new Promise(resolve => signal.addEventListener('abort', () => resolve([closed])));
      }
      if (found instanceof Error) {
        throw found;
      }
      return found;
    },
    intervalMs: 0,
    nowMs: () => nowMs,
    onChanged: findings => void changes.push(findings.map(({ status }) => status).join()),
    onFailed: error => void failures.push(error),
  });
  expect(watch.findings()).toEqual([]);
  watch.start();
  // The timer between examinations does not keep the process alive, so the test must wait for it.
  while (rest.length > 0) {
    await setImmediate();
  }
  await finished;
  return { watch, changes, failures };
}

test('reports only changes, not every check', async () => {
  const { watch, changes } = await watchOver([[open], [stillOpen], [closed], [closed], [open]]);
  expect(changes).toEqual(['ok', 'failed', 'ok']);
  expect(watch.findings()).toEqual([{ ...open, seenAtMs: 5_000 }]);
  await watch.stop();
});

test('keeps the last result when a check fails, and checks again', async () => {
  const { watch, changes, failures } = await watchOver([[closed], new Error('no look')]);
  expect(watch.findings()).toEqual([{ ...closed, seenAtMs: 1_000 }]);
  expect(changes).toEqual(['failed']);
  expect(failures).toHaveLength(1);
  await watch.stop();
});

test('a look that is broken off says nothing', async () => {
  const { watch, changes } = await watchOver([[open]]);
  await watch.stop();
  expect(watch.findings()).toEqual([{ ...open, seenAtMs: 1_000 }]);
  expect(changes).toEqual(['ok']);
});
