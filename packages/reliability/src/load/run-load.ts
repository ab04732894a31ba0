import { waitFor } from '@mailproof/dev-house';
import { type Assistant, connectAssistant, validationCall } from '../assistant.ts';
import { findPeak, type Step } from './find-peak.ts';
import { type Generator, hireGenerator } from './hire-generator.ts';
import { type LoadHouse, openLoadHouse } from './load-house.ts';
import type { LoadKind, LoadResult } from './messages.ts';
import { type JobsRun, sendLists } from './send-lists.ts';
import { type ServiceWatch, watchServices } from './watch-services.ts';

export interface LoadPlan {
  readonly minutes: number;
  /** Validations a second; half of the measured peak where it is not given. */
  readonly rate?: number;
  readonly signal: AbortSignal;
  readonly report: (sentence: string) => void;
}

export interface LoadRun {
  readonly startedAt: Date;
  readonly minutes: number;
  /** Absent where the rate was given. */
  readonly peak?: { readonly perSecond: number; readonly steps: readonly Step[] };
  readonly results: readonly LoadResult[];
  readonly jobs: JobsRun;
  readonly services: readonly ServiceWatch[];
}

export const validationKind = 'cached validation';
const toolKind = 'tool call';
const email = 'ada.1@bench-1.test';
const minuteMs = 60_000;
/** Shorter than an access token is good for. */
const renewEveryMs = 4 * minuteMs;
const creditsDeadlineMs = 30_000;
/** Of the other kinds, for each validation. */
const [balanceShare, toolShare] = [1 / 20, 1 / 50];

/** Finds the peak, and then keeps the system busy for some minutes at half of it. */
export async function runLoad({ minutes, rate, signal, report }: LoadPlan): Promise<LoadRun> {
  const startedAt = new Date();
  const running = await openLoadHouse(signal);
  const generator = hireGenerator();
  try {
    const { kinds, assistant } = await kindsOf(running);
    const [validation] = kinds;
    if (rate === undefined) report('Looking for the peak of cached validations');
    const peak = rate === undefined ? await findPeak(generator, validation, signal) : undefined;
    const perSecond = rate ?? Math.max(1, Math.round((peak?.perSecond ?? 0) / 2));
    report(`${minutes} min at ${perSecond} cached validations a second, and everything else`);
    const measured = await loadFor(running, generator, kinds, assistant, { minutes, perSecond, signal });
    return { startedAt, minutes, ...(peak && { peak }), ...measured };
  } finally {
    await generator.stop();
    await running.stop();
  }
}

type Kinds = readonly [validation: LoadKind, balance: LoadKind, tool: LoadKind];

async function kindsOf({
  house,
  customers,
}: LoadHouse): Promise<{ readonly kinds: Kinds; readonly assistant: Assistant }> {
  const [gatewayUrl = ''] = house.gatewayUrls;
  const [toolsUrl = ''] = house.toolServerUrls;
  const headers = { 'x-api-key': customers.requests.apiKey };
  const api = `${gatewayUrl}/api/v1`;
  await waitFor(
    'The credits have arrived',
    async () => {
      const answer = await fetch(`${api}/me`, { headers });
      return ((await answer.json()) as { readonly credits?: number }).credits;
    },
    { deadlineMs: creditsDeadlineMs },
  );
  const assistant = await connectAssistant(toolsUrl, customers.requests);
  const perSecond = 1;
  return {
    assistant,
    kinds: [
      {
        ...{ name: validationKind, url: `${api}/validate-single-email`, headers, perSecond },
        ...{ body: { email }, shows: '"result":"' },
      },
      { name: 'GET /me', url: `${api}/me`, headers, perSecond, shows: '"credits":' },
      {
        ...{ name: toolKind, url: `${toolsUrl}/mcp`, headers: assistant.headers(), perSecond },
        ...{ body: validationCall(email), shows: '"ok":true' },
      },
    ],
  };
}

async function loadFor(
  running: LoadHouse,
  generator: Generator,
  [validation, balance, tool]: Kinds,
  assistant: Assistant,
  {
    minutes,
    perSecond,
    signal,
  }: { readonly minutes: number; readonly perSecond: number; readonly signal: AbortSignal },
): Promise<Pick<LoadRun, 'results' | 'jobs' | 'services'>> {
  const kinds = [
    { ...validation, perSecond },
    { ...balance, perSecond: perSecond * balanceShare },
    { ...tool, perSecond: perSecond * toolShare },
  ];
  const watched = watchServices(running.house, running.eventLoopDirectory);
  const renewing = setInterval(() => {
    assistant.renew().then(
      () => generator.renew(toolKind, assistant.headers()),
      () => undefined,
    );
  }, renewEveryMs);
  const lists = sendLists(running, signal);
  try {
    const results = await generator.load(kinds, (minutes * minuteMs) / 1_000, signal);
    return { results, services: watched(), jobs: await lists.end() };
  } finally {
    clearInterval(renewing);
    watched();
    await lists.end().catch(() => undefined);
  }
}
