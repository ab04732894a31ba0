import { isSandboxAccount, prices } from '@mailproof/shared-types';
import type { ChunkRequest, DeliveredRun, FoundChunk, RunDelivery, SearchExtent } from '../discovery/run.ts';
import {
  type LookalikeAnswer,
  type LookalikeMatch,
  type LookalikeQuestion,
  matchesMax,
  type RankingOfAccount,
} from '../lookalike/lookalike-ranking.ts';
import { simulateErrorOf } from '../sandbox/simulated-errors.ts';
import type { CompanyRow, CompanyRows } from './company-rows.ts';
import { type ComparedCompanies, companiesOfLists, compareCompanies } from './lookalike-company.ts';
import { readQuestion, type SearchQuestion } from './question.ts';

/** The number of companies per chunk: as many as the ranking can explain at once. */
const chunkMax = 1_000;

/** Makes delivered companies durable. */
export interface LookalikeResults<Transaction> {
  /**
   * Saves those of the companies that are still in the store as results of the search, and as paid if the account has
   * not paid for them yet; returns the number newly paid. Companies that the search already has are unchanged.
   */
  save(
    transaction: Transaction,
    run: DeliveredRun,
    matches: readonly LookalikeMatch[],
    now: Date,
  ): Promise<number>;
  /** Counts the companies that the run is charged for. */
  countCharged(transaction: Transaction, run: DeliveredRun): Promise<number>;
}

export interface LookalikeDeliveryPorts<Transaction> {
  readonly rankingOf: RankingOfAccount;
  readonly companies: CompanyRows;
  readonly results: LookalikeResults<Transaction>;
  readonly now: () => Date;
}

/**
 * Delivers companies in the order of the ranking. A run has no position: each chunk requests the strongest matches for
 * which the search has no row. Rows are the truth, so neither a new model nor a restart midway can deliver a company
 * twice or omit one.
 *
 * Companies that the account paid for in another search are delivered too, but are free and not counted.
 */
export function createLookalikeDelivery<Transaction>(
  ports: LookalikeDeliveryPorts<Transaction>,
): RunDelivery<Transaction> {
  return {
    kind: 'lookalikes',
    price: prices.lookalikeCompany,
    cause: 'start-lookalike-run',
    chunkMax,
    measure: search => measure(ports, search),
    findNext: chunk => findNext(ports, chunk),
    countDelivered: (transaction, run) => ports.results.countCharged(transaction, run),
  };
}

/**
 * If only free companies are left, a run of one company fetches them: it reserves the price of one company and releases
 * it.
 */
async function measure<Transaction>(
  { rankingOf, companies }: LookalikeDeliveryPorts<Transaction>,
  { accountId, searchId, query }: Omit<DeliveredRun, 'runId' | 'listId'>,
): Promise<SearchExtent> {
  const asked = readQuestion(query);
  if (isSandboxAccount(accountId)) simulateErrorOf(asked.seedDomains, 'run');
  const question = await compareCompanies(companies, accountId, asked);
  const excludedCompanyNos = await notWanted(companies, { accountId, searchId }, asked, question);
  const answer = await rankIfAny(rankingOf(accountId), question, { excludedCompanyNos, limit: matchesMax });
  const companyNos = answer.matches.map(({ companyNo }) => companyNo);
  const [counted] = await companies.count(accountId, companyNos, [matchesMax]);
  const { companies: charged, alreadyPaid } = counted ?? { companies: 0, alreadyPaid: 0 };
  return { matching: answer.total, deliverable: Math.max(charged, Math.min(alreadyPaid, 1)) };
}

type RankedPart = Pick<LookalikeAnswer, 'matches' | 'total'>;

/** If no seed can be compared since the search was locked, there is nothing to deliver. */
async function rankIfAny(
  ranking: ReturnType<RankingOfAccount>,
  { seeds, described, unlike, candidates }: ComparedCompanies,
  {
    excludedCompanyNos,
    ...part
  }: Pick<LookalikeQuestion, 'limit' | 'explain'> & { readonly excludedCompanyNos: readonly number[] },
): Promise<RankedPart> {
  return seeds.length + described.length === 0
    ? { matches: [], total: 0 }
    : ranking.rank({
        seeds,
        described,
        unlike,
        ...part,
        candidates: { ...candidates, excludedCompanyNos },
      });
}

/** The companies to exclude: those that the question excludes, and those that the search already has. */
async function notWanted(
  companies: CompanyRows,
  { accountId, searchId }: Pick<DeliveredRun, 'accountId' | 'searchId'>,
  { filters }: SearchQuestion,
  { candidates }: ComparedCompanies,
): Promise<number[]> {
  const [unlisted, delivered] = await Promise.all([
    companiesOfLists(companies, accountId, filters),
    companies.deliveredNos(searchId),
  ]);
  return [...candidates.excludedCompanyNos, ...unlisted, ...delivered];
}

async function findNext<Transaction>(
  { rankingOf, companies, results, now }: LookalikeDeliveryPorts<Transaction>,
  { run, wanted }: ChunkRequest,
): Promise<FoundChunk<Transaction>> {
  const asked = readQuestion(run.query);
  const question = await compareCompanies(companies, run.accountId, asked);
  const excludedCompanyNos = await notWanted(companies, run, asked, question);
  for (;;) {
    const part = { excludedCompanyNos, limit: chunkMax, explain: chunkMax };
    const { matches, total } = await rankIfAny(rankingOf(run.accountId), question, part);
    const companyNos = matches.map(({ companyNo }) => companyNo);
    const rows = await companies.read(run.accountId, companyNos);
    const found = firstOf(matches, rows, wanted);
    const isWhole = found.length === rows.length && matches.length >= total;
    if (found.length > 0 || isWhole) {
      return {
        // The rows say where the next chunk begins.
        position: '',
        isExhausted: isWhole,
        save: transaction => results.save(transaction, run, found, now()),
      };
    }
    // The ranking does not know yet that these are gone from the store.
    excludedCompanyNos.push(...companyNos);
  }
}

/** The first matches that still exist: as many as would be charged for, and the free ones among them. */
function firstOf(
  matches: readonly LookalikeMatch[],
  rows: readonly CompanyRow[],
  wanted: number,
): LookalikeMatch[] {
  const isPaid = new Map(rows.map(row => [row.companyNo, row.isPaid]));
  const found: LookalikeMatch[] = [];
  let charged = 0;
  for (const match of matches) {
    const isFree = isPaid.get(match.companyNo);
    if (isFree === undefined) {
      continue;
    }
    charged += isFree ? 0 : 1;
    if (charged > wanted) {
      break;
    }
    found.push(match);
  }
  return found;
}
