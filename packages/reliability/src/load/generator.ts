import { setTimeout as sleep } from 'node:timers/promises';
import { build, type Histogram } from 'hdr-histogram-js';
import { Agent, request } from 'undici';
import type { LoadKind, LoadOrder, LoadResult } from './messages.ts';
import { watchCalm } from './stolen-time.ts';

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
  void load(order.kinds, order.seconds).then(results => process.send?.(results));
});
process.once('disconnect', () => process.exit());

async function load(kinds: readonly LoadKind[], seconds: number): Promise<LoadResult[]> {
  const calm = watchCalm();
  const sent = await Promise.all(kinds.map(kind => generate(kind, seconds)));
  const isCalm = calm();
  return sent.map(each => resultOf(each, isCalm));
}

/** What became of the requests of one kind. */
interface Sent {
  readonly name: string;
  due: number;
  readonly errors: Record<string, number>;
  /** Of each answer: when it was due and how long it took, in milliseconds. */
  readonly answers: { readonly dueMs: number[]; readonly tookMs: number[] };
}

async function generate(kind: LoadKind, seconds: number): Promise<Sent> {
  const sent: Sent = { name: kind.name, due: 0, errors: {}, answers: { dueMs: [], tookMs: [] } };
  const onTheirWay = new Set<Promise<void>>();
  const beganMs = performance.now();
  const endsMs = beganMs + seconds * 1_000;
  for (let dueMs = beganMs + pauseMs(kind); dueMs < endsMs; dueMs += pauseMs(kind)) {
    const aheadMs = dueMs - performance.now();
    if (aheadMs > 0) await sleep(aheadMs);
    sent.due += 1;
    if (inFlight >= inFlightMax) {
      count(sent, 'not sent');
      continue;
    }
    const answered = send(kind, dueMs, sent).finally(() => onTheirWay.delete(answered));
    onTheirWay.add(answered);
  }
  await Promise.all(onTheirWay);
  return sent;
}

function count({ errors }: Sent, what: string): void {
  errors[what] = (errors[what] ?? 0) + 1;
}

/** Between two requests that know nothing of each other. */
function pauseMs({ perSecond }: LoadKind): number {
  return (-Math.log(1 - Math.random()) / perSecond) * 1_000;
}

async function send({ name, url, headers, body, shows }: LoadKind, dueMs: number, sent: Sent): Promise<void> {
  // Not `AbortSignal.timeout`: what it leaves behind becomes old (ADR 0050), and is looked for at the expense of others.
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
      // A timer may come a fraction of a millisecond early, and an answer with it.
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
  const calm = tookMs.filter((_, place) => isCalm(dueMs[place] ?? 0));
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
