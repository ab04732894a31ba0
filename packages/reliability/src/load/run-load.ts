import { type Assistant, connectAssistant, validationCall } from '../assistant.ts';
import { findPeak, type Step } from './find-peak.ts';
import { type LoadHouse, openLoadHouse } from './load-house.ts';
import { everyMs, type JobsRun, sendLists } from './send-lists.ts';
import { type Generator, type LoadKind, type LoadResult, startGenerator } from './start-generator.ts';
import { watchStolenTime } from './stolen-time.ts';
import { type ServiceWatch, watchServices } from './watch-services.ts';

export interface LoadPlan {
  readonly minutes: number;
  /** Validations per second; half of the measured peak if omitted. */
  readonly rate?: number;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

export interface LoadRun {
  readonly startedAt: Date;
  readonly minutes: number;
  /** Absent if the rate was given. */
  readonly peak?: { readonly perSecond: number; readonly steps: readonly Step[] };
  readonly results: readonly LoadResult[];
  readonly jobs: JobsRun;
  readonly services: readonly ServiceWatch[];
  /** Share of the processors' time that went to other machines of the same host, in percent. */
  readonly stolenPercent: number | undefined;
}

export const validationKind = 'cached validation';
const toolKind = 'tool call';
const email = 'ada.1@bench-1.test';
const minuteMs = 60_000;
/** Shorter than the lifetime of an access token. */
const renewEveryMs = 4 * minuteMs;
/** How many requests of each other kind are sent per validation. */
const [balanceShare, toolShare] = [1 / 20, 1 / 50];

/** Finds the peak, then keeps the system busy at half of it for some minutes. */
export async function runLoad({ minutes, rate, signal, report }: LoadPlan): Promise<LoadRun> {
  const startedAt = new Date();
  const running = await openLoadHouse(signal);
  const generator = startGenerator();
  const ending = new AbortController();
  try {
    const { kindsAt, assistant } = await kindsOf(running);
    keepRenewing(assistant, generator, ending.signal);
    if (rate === undefined) report('Looking for the peak of cached validations, among everything else');
    const peak = rate === undefined ? await peakOf(running, generator, kindsAt, signal) : undefined;
    const perSecond = rate ?? Math.max(1, Math.round((peak?.perSecond ?? 0) / 2));
    report(`${minutes} min at ${perSecond} cached validations a second, and everything else`);
    const measured = await loadFor(running, generator, kindsAt(perSecond), { minutes, signal });
    return { startedAt, minutes, ...(peak && { peak }), ...measured };
  } finally {
    ending.abort();
    await generator.stop();
    await running.stop();
  }
}

/** Renews the access token, which is valid for only some minutes. */
function keepRenewing(assistant: Assistant, generator: Generator, ending: AbortSignal): void {
  const renewing = setInterval(() => {
    assistant.renew().then(
      () => generator.renew(toolKind, assistant.headers()),
      () => undefined,
    );
  }, renewEveryMs);
  ending.addEventListener('abort', () => clearInterval(renewing), { once: true });
}

/** Returns the cached validations at a rate, and the requests that accompany them. */
type KindsAt = (perSecond: number) => readonly LoadKind[];

async function kindsOf({
  house,
  customers,
}: LoadHouse): Promise<{ readonly kindsAt: KindsAt; readonly assistant: Assistant }> {
  const [gatewayUrl = ''] = house.gatewayUrls;
  const [toolsUrl = ''] = house.toolServerUrls;
  const headers = { 'x-api-key': customers.requests.apiKey };
  const api = `${gatewayUrl}/api/v1`;
  const assistant = await connectAssistant(toolsUrl, customers.requests);
  return {
    assistant,
    kindsAt: perSecond => [
      {
        ...{ name: validationKind, url: `${api}/validate-single-email`, headers, perSecond },
        ...{ body: { email }, shows: '"result":"' },
      },
      {
        ...{ name: 'GET /me', url: `${api}/me`, headers, perSecond: perSecond * balanceShare },
        shows: '"credits":',
      },
      {
        ...{ name: toolKind, url: `${toolsUrl}/mcp`, headers: assistant.headers() },
        ...{ perSecond: perSecond * toolShare, body: validationCall(email), shows: '"ok":true' },
      },
    ],
  };
}

/** Each rate is tried for the interval between two lists, so that it overlaps with a list. */
async function peakOf(running: LoadHouse, generator: Generator, kindsAt: KindsAt, signal: AbortSignal) {
  const lists = sendLists(running, signal);
  try {
    return await findPeak(generator, kindsAt, everyMs / 1_000, signal);
  } finally {
    await lists.end();
  }
}

async function loadFor(
  running: LoadHouse,
  generator: Generator,
  kinds: readonly LoadKind[],
  { minutes, signal }: { readonly minutes: number; readonly signal: AbortSignal },
): Promise<Pick<LoadRun, 'results' | 'jobs' | 'services' | 'stolenPercent'>> {
  const stolenPercent = watchStolenTime();
  const watched = watchServices(running.house, running.eventLoopDirectory);
  const lists = sendLists(running, signal);
  try {
    const results = await generator.load(kinds, (minutes * minuteMs) / 1_000, signal);
    return { results, stolenPercent: stolenPercent(), services: watched(), jobs: await lists.end() };
  } finally {
    watched();
    await lists.end().catch(() => undefined);
  }
}
