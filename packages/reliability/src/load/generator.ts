import { setTimeout as sleep } from 'node:timers/promises';
import { build, type Histogram } from 'hdr-histogram-js';
import { Agent, request } from 'undici';
import type { LoadKind, LoadOrder, LoadResult } from './start-generator.ts';
import { watchCalm } from './stolen-time.ts';

/*
 * A separate process, so that it shares no event loop with the measured system. It sends each request when it is due,
 * regardless of earlier ones, and measures the response time from that moment, so that a stall of the system is
 * visible.
 */

/**
 * With more requests in flight, a request counts as not sent, because the results would depend on the machine's memory.
 */
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
  void load(order.kinds, order.seconds).then(results => process.send?.(results));
});
process.once('disconnect', () => process.exit());

async function load(kinds: readonly LoadKind[], seconds: number): Promise<LoadResult[]> {
  const calm = watchCalm();
  const sent = await Promise.all(kinds.map(kind => generate(kind, seconds)));
  const isCalm = calm();
  return sent.map(each => resultOf(each, isCalm));
}

/** The results of the requests of one kind. */
interface Sent {
  readonly name: string;
  due: number;
  readonly errors: Record<string, number>;
  /** For each response, when its request was due and how long it took, in milliseconds. */
  readonly answers: { readonly dueMs: number[]; readonly tookMs: number[] };
}

async function generate(kind: LoadKind, seconds: number): Promise<Sent> {
  const sent: Sent = { name: kind.name, due: 0, errors: {}, answers: { dueMs: [], tookMs: [] } };
  const pending = new Set<Promise<void>>();
  const startedMs = performance.now();
  const endsMs = startedMs + seconds * 1_000;
  for (let dueMs = startedMs + pauseMs(kind); dueMs < endsMs; dueMs += pauseMs(kind)) {
    const untilDueMs = dueMs - performance.now();
    if (untilDueMs > 0) await sleep(untilDueMs);
    sent.due += 1;
    if (inFlight >= inFlightMax) {
      count(sent, 'not sent');
      continue;
    }
    const answered = send(kind, dueMs, sent).finally(() => pending.delete(answered));
    pending.add(answered);
  }
  await Promise.all(pending);
  return sent;
}

function count({ errors }: Sent, what: string): void {
  errors[what] = (errors[what] ?? 0) + 1;
}

/** Returns the pause between two requests that are independent of each other. */
function pauseMs({ perSecond }: LoadKind): number {
  return (-Math.log(1 - Math.random()) / perSecond) * 1_000;
}

async function send({ name, url, headers, body, shows }: LoadKind, dueMs: number, sent: Sent): Promise<void> {
  // Not `AbortSignal.timeout`: its garbage reaches the old generation (ADR 0050), and collecting it delays other
  // requests.
  const ending = new AbortController();
  const late = setTimeout(() => ending.abort(), answerMsMax);
  inFlight += 1;
  try {
    const answer = await request(url, {
      dispatcher: agent,
      method: body === undefined ? 'GET' : 'POST',
      headers: { ...headers, ...fresh.get(name), 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
      signal: ending.signal,
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) count(sent, String(answer.statusCode));
    else if (!text.includes(shows)) count(sent, 'another answer');
    else {
      sent.answers.dueMs.push(dueMs);
      // A timer may fire a fraction of a millisecond early, and then the response may also be early.
      sent.answers.tookMs.push(Math.max(0, performance.now() - dueMs));
    }
  } catch (error) {
    const { code, name: kindOfError, message } = error as NodeJS.ErrnoException;
    count(sent, code ?? `${kindOfError}: ${message}`);
  } finally {
    clearTimeout(late);
    inFlight -= 1;
  }
}

function resultOf(
  { name, due, errors, answers }: Sent,
  isCalm: ((atMs: number) => boolean) | undefined,
): LoadResult {
  const { dueMs, tookMs } = answers;
  const times = histogramOf(tookMs);
  const at = (percentile: number) => millisecondsAt(times, percentile);
  const result = {
    ...{ name, due, answered: tookMs.length, errors },
    ...{ p50Ms: at(50), p90Ms: at(90), p99Ms: at(99), p999Ms: at(99.9), maxMs: at(100) },
  };
  if (!isCalm) return result;
  const calm = tookMs.filter((_, index) => isCalm(dueMs[index] ?? 0));
  return {
    ...result,
    calm: { answered: calm.length, p99Ms: millisecondsAt(histogramOf(calm), 99) },
  };
}

function histogramOf(tookMs: readonly number[]): Histogram {
  const times = build({ lowestDiscernibleValue: 1, highestTrackableValue: microsecondsMax });
  for (const ms of tookMs) times.recordValue(Math.min(microsecondsMax, Math.round(ms * 1_000)));
  return times;
}

const millisecondsAt = (times: Histogram, percentile: number) =>
  times.getValueAtPercentile(percentile) / 1_000;
