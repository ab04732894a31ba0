import { setTimeout as sleep } from 'node:timers/promises';
import { build, type Histogram } from 'hdr-histogram-js';
import { Agent, request } from 'undici';
import type { LoadKind, LoadOrder, LoadResult } from './messages.ts';

/*
 * A process of its own, so that it shares no event loop with what it measures. It sends each request when it is due,
 * whatever became of those before, and counts its time from that moment: a system that stands still is seen to do so.
 */

/** Beyond so many on their way a request is counted as not sent: the machine would measure its own memory. */
const inFlightMax = 5_000;
const answerMsMax = 30_000;
const microsecondsMax = 120_000_000;

const agent = new Agent({ connections: 256, pipelining: 1 });
const fresh = new Map<string, Readonly<Record<string, string>>>();
let inFlight = 0;

process.on('message', (order: LoadOrder) => {
  if (order.type === 'headers') {
    fresh.set(order.kind, order.headers);
    return;
  }
  void Promise.all(order.kinds.map(kind => generate(kind, order.seconds))).then(results =>
    process.send?.(results),
  );
});
process.once('disconnect', () => process.exit());

async function generate(kind: LoadKind, seconds: number): Promise<LoadResult> {
  const times = build({ lowestDiscernibleValue: 1, highestTrackableValue: microsecondsMax });
  const errors: Record<string, number> = {};
  const count = (what: string) => {
    errors[what] = (errors[what] ?? 0) + 1;
  };
  const onTheirWay = new Set<Promise<void>>();
  const beganMs = performance.now();
  const endsMs = beganMs + seconds * 1_000;
  let due = 0;
  for (let dueMs = beganMs + pauseMs(kind); dueMs < endsMs; dueMs += pauseMs(kind)) {
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 0) await sleep(aheadMs);
    due += 1;
    if (inFlight >= inFlightMax) {
      count('not sent');
      continue;
    }
    const sent = send(kind, dueMs, times, count).finally(() => onTheirWay.delete(sent));
    onTheirWay.add(sent);
  }
  await Promise.all(onTheirWay);
  return { name: kind.name, due, answered: times.totalCount, errors, ...percentilesOf(times) };
}

/** Between two requests that know nothing of each other. */
function pauseMs({ perSecond }: LoadKind): number {
  return (-Math.log(1 - Math.random()) / perSecond) * 1_000;
}

async function send(
  { name, url, headers, body, shows }: LoadKind,
  dueMs: number,
  times: Histogram,
  count: (what: string) => void,
): Promise<void> {
  inFlight += 1;
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...fresh.get(name), 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(answerMsMax),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) count(String(answer.statusCode));
    else if (!text.includes(shows)) count('another answer');
    else times.recordValue(microsecondsSince(dueMs));
  } catch (error) {
    const { code, name: kindOfError, message } = error as NodeJS.ErrnoException;
    count(code ?? `${kindOfError}: ${message}`);
  } finally {
    inFlight -= 1;
  }
}

/** A timer may come a fraction of a millisecond early, and an answer with it. */
function microsecondsSince(dueMs: number): number {
  return Math.min(microsecondsMax, Math.max(0, Math.round((performance.now() - dueMs) * 1_000)));
}

function percentilesOf(times: Histogram) {
  const at = (percentile: number) => times.getValueAtPercentile(percentile) / 1_000;
  return { p50Ms: at(50), p90Ms: at(90), p99Ms: at(99), p999Ms: at(99.9), maxMs: times.maxValue / 1_000 };
}
