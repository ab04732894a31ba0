import type { HouseOptions } from '@mailproof/dev-house';
import { type LookalikeSearchView, lookalikeSearchView } from '@mailproof/shared-types';
import pg from 'pg';
import { type Answer, findingPeople, openTestHouse, type Person, type TestHouse } from './house.ts';
import { keepTradingCompanies } from './lookalike-companies.ts';
import { until } from './until.ts';

/** A whole system whose ranking knows a given number of companies of each trade. */
export interface LookalikeHouse {
  readonly test: TestHouse;
  /** The tables of enrichment. */
  readonly store: pg.Pool;
  stop(): Promise<void>;
}

export async function openLookalikeHouse(
  companiesOfEachTrade: number,
  options: Pick<HouseOptions, 'killable'> = {},
): Promise<LookalikeHouse> {
  const test = await openTestHouse({
    ...options,
    only: findingPeople,
    env: {
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
      // The ranking can be slow on a busy machine.
      enrichment: { LOOKALIKE_REFRESH_INTERVAL_MS: '200', LOOKALIKE_QUESTION_DEADLINE_MS: '60000' },
    },
  });
  const store = new pg.Pool({
    connectionString: test.house.databaseUrls['enrichment']?.databaseUrl ?? '',
    options: '-c search_path=enrichment',
    max: 4,
  });
  const stop = async () => {
    await store.end();
    await test.stop();
  };
  try {
    await keepTradingCompanies(store, companiesOfEachTrade);
    await untilRanked(await (await test.owner()).signIn());
    return { test, store, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A search that the house can answer, except for overridden fields. */
export const lookalikeQuestion = (question: object = {}): Record<string, unknown> => ({
  name: 'Like ours',
  seed_domains: ['airlines1.example'],
  ...question,
});

export async function beginSearch(owner: Person, question: object = {}): Promise<LookalikeSearchView> {
  const answer = await owner.post('/lookalike-searches', lookalikeQuestion(question));
  if (answer.status !== 201) {
    throw new Error(`A lookalike search was answered with ${answer.status} ${JSON.stringify(answer.body)}.`);
  }
  return lookalikeSearchView.parse(answer.body);
}

export const codeOf = ({ status, body }: Answer): unknown[] => [status, body['code']];

/** Retries until the ranking of the house answers. */
const untilRanked = (owner: Person): Promise<Answer> =>
  until(
    'a ranking of the companies',
    () => owner.post('/lookalike-searches', lookalikeQuestion()),
    ({ status }) => status === 201,
    120_000,
  );
