import { type AccountId, type DiscoverySearchId, prices } from '@mailproof/shared-types';
import type { ChunkRequest, DeliveredRun, FoundChunk, RunDelivery } from '../discovery/run-delivery.ts';
import type { LookalikeMatch, LookalikeRanking } from '../lookalike/lookalike-ranking.ts';
import { matchesMax } from '../lookalike/lookalike-ranking.ts';
import type { CompanyRows } from './company-rows.ts';
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
    async measure(search) {
      const { ranking, companies } = ports;
      const question = await compareCompanies(companies, readQuestion(search.query));
      const excludedCompanyNos = await notWanted(companies, question, search.searchId);
      const { matches, total } = await ranking.rank({
        ...question,
        candidates: { ...question.candidates, excludedCompanyNos },
        limit: matchesMax,
      });
      return { matching: total, deliverable: await countCharged(companies, search.accountId, matches) };
    },
    findNext: chunk => findNext(ports, chunk),
    countDelivered: (transaction, run) => ports.results.countCharged(transaction, run),
  };
}

async function countCharged(
  companies: CompanyRows,
  accountId: AccountId,
  matches: readonly LookalikeMatch[],
): Promise<number> {
  const companyNos = matches.map(({ companyNo }) => companyNo);
  const [counted] = await companies.count(accountId, companyNos, [matchesMax]);
  return counted?.companies ?? 0;
}

/** What may not be answered: what the question leaves out, and what the search has already. */
export async function notWanted(
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
  const limit = Math.min(wanted, chunkMax);
  for (;;) {
    const { matches, total } = await ranking.rank({
      ...question,
      candidates: { ...question.candidates, excludedCompanyNos },
      limit,
      explain: limit,
    });
    const rows = await companies.read(
      run.accountId,
      matches.map(({ companyNo }) => companyNo),
    );
    const isThere = new Set(rows.map(({ companyNo }) => companyNo));
    const found = matches.filter(({ companyNo }) => isThere.has(companyNo));
    const isExhausted = matches.length >= total;
    if (found.length > 0 || isExhausted) {
      return {
        // The rows say where the next chunk begins.
        position: '',
        isExhausted,
        save: transaction => results.save(transaction, run, found, now()),
      };
    }
    // The ranking has not heard yet that these are gone from the store.
    excludedCompanyNos.push(...matches.map(({ companyNo }) => companyNo));
  }
}
