import { type DiscoverySearchId, prices } from '@mailproof/shared-types';
import type {
  ChunkRequest,
  DeliveredRun,
  FoundChunk,
  RunDelivery,
  SearchExtent,
} from '../discovery/run-delivery.ts';
import {
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeMatch,
  type LookalikeQuestion,
  type LookalikeRanking,
  matchesMax,
} from '../lookalike/lookalike-ranking.ts';
import type { CompanyRow, CompanyRows } from './company-rows.ts';
import { type ComparedCompanies, compareCompanies } from './compared-companies.ts';
import { readQuestion } from './question.ts';

/** Companies of one chunk: as many as the ranking explains at once. */
const chunkMax = 1_000;

/** Makes delivered companies durable. */
export interface LookalikeResults<Transaction> {
  /**
   * Keeps what of these is still in the store as results of the search, and those as paid that the account has not paid
   * for; answers how many these were. A company that the search has already is left as it is.
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
  readonly ranking: LookalikeRanking;
  readonly companies: CompanyRows;
  readonly results: LookalikeResults<Transaction>;
  readonly now: () => Date;
}

/**
 * Delivers companies in the order of the ranking. A run has no position of its own: each chunk asks for the strongest
 * matches that the search has no row of. Rows are the truth, so neither another model nor a restart in the middle can
 * deliver a company twice or leave one out.
 *
 * What the account has paid for in another search comes with the rest and is not counted: it is free.
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
 * Where all that is left is free, a run of one company fetches it: it reserves the price of one, and returns it.
 */
async function measure<Transaction>(
  { ranking, companies }: LookalikeDeliveryPorts<Transaction>,
  { accountId, searchId, query }: Omit<DeliveredRun, 'runId' | 'listId'>,
): Promise<SearchExtent> {
  const question = await compareCompanies(companies, readQuestion(query));
  const excludedCompanyNos = await notWanted(companies, question, searchId);
  const answer = await rankIfAny(ranking, question, { excludedCompanyNos, limit: matchesMax });
  const companyNos = answer.matches.map(({ companyNo }) => companyNo);
  const [counted] = await companies.count(accountId, companyNos, [matchesMax]);
  const { companies: charged, alreadyPaid } = counted ?? { companies: 0, alreadyPaid: 0 };
  return { matching: answer.total, deliverable: Math.max(charged, Math.min(alreadyPaid, 1)) };
}

type RankedPart = Pick<LookalikeAnswer, 'matches' | 'total'>;

/** Seeds that have left the store since the search was locked leave nothing to be compared with. */
async function rankIfAny(
  ranking: LookalikeRanking,
  { named: _named, candidates, ...compared }: ComparedCompanies,
  {
    excludedCompanyNos,
    ...part
  }: Pick<LookalikeQuestion, 'limit' | 'explain'> & { readonly excludedCompanyNos: readonly number[] },
): Promise<RankedPart> {
  if (compared.seeds.length === 0) {
    return { matches: [], total: 0 };
  }
  try {
    return await ranking.rank({
      ...compared,
      ...part,
      candidates: { ...candidates, excludedCompanyNos },
    });
  } catch (error) {
    if (error instanceof LookalikeFault && error.code === 'no_usable_seed') {
      return { matches: [], total: 0 };
    }
    throw error;
  }
}

/** What may not be answered: what the question leaves out, and what the search has already. */
async function notWanted(
  companies: CompanyRows,
  question: ComparedCompanies,
  searchId: DiscoverySearchId,
): Promise<number[]> {
  return [...question.candidates.excludedCompanyNos, ...(await companies.deliveredNos(searchId))];
}

async function findNext<Transaction>(
  { ranking, companies, results, now }: LookalikeDeliveryPorts<Transaction>,
  { run, wanted }: ChunkRequest,
): Promise<FoundChunk<Transaction>> {
  const question = await compareCompanies(companies, readQuestion(run.query));
  const excludedCompanyNos = await notWanted(companies, question, run.searchId);
  for (;;) {
    const part = { excludedCompanyNos, limit: chunkMax, explain: chunkMax };
    const { matches, total } = await rankIfAny(ranking, question, part);
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
    // The ranking has not heard yet that these are gone from the store.
    excludedCompanyNos.push(...companyNos);
  }
}

/** The first of the matches that are still there: as many as would be charged for, and the free ones among them. */
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
