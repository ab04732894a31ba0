import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { LookalikeModel } from '../../domain/lookalike/build-model.ts';
import { indexCompany, vectorByWords } from '../../domain/lookalike/build-model.ts';
import { CompanyIndex, type IndexedCompany } from '../../domain/lookalike/company-index.ts';
import type { LookalikeAnswer, LookalikeQuestion } from '../../domain/lookalike/lookalike-ranking.ts';
import { type RankingModel, rankCompanies } from '../../domain/lookalike/rank-companies.ts';
import {
  type CompanyWithVector,
  changesAfter,
  companiesOf,
  type KeptVector,
  keepVectors,
  lastChange,
  type ModelRow,
  readModel,
  removalsAfter,
  vectorsAfter,
  vectorsOf,
} from './model-store.ts';
import type { CompanyVector, PostgresVectors } from './postgres-vectors.ts';

/** The number of companies that get a vector at a time. */
const batchSize = 50;
const changesMax = 10_000;

/**
 * Changes get their numbers before they become visible, so numbers already passed are checked again for as long as a
 * transaction may last. Statements and idle transactions time out after ten seconds each.
 */
const lookBackMs = 120_000;

/** An in-memory model that follows the store: changed companies get a new vector, and removed ones are dropped. */
export class FollowedModel {
  readonly row: ModelRow;
  readonly ranking: RankingModel;
  readonly #pool: Pool;
  readonly #model: LookalikeModel;
  /** The vectors, if they are not in the index. */
  readonly #vectors: PostgresVectors | null;
  /** The last seen change of every company, including those without a known word. */
  readonly #seen = new Map<number, number>();
  /** Companies without a current vector, with the change that requires it. */
  readonly #waiting = new Map<number, number>();
  /** The last change number assigned at each time, oldest first. */
  readonly #marks: { readonly atMs: number; readonly changeNo: number }[] = [];
  #removedTo = 0;
  #changed = 0;
  #hasForgotten = false;

  private constructor(pool: Pool, row: ModelRow, model: LookalikeModel, vectors: PostgresVectors | null) {
    this.#pool = pool;
    this.row = row;
    this.#model = model;
    this.#vectors = vectors;
    const index = new CompanyIndex(
      model.dimensions,
      model.space.stems.length,
      Math.ceil(row.companies * 1.1),
      vectors === null,
    );
    this.ranking = { modelNo: row.modelNo, space: model.space, calibration: model.calibration, index };
  }

  /** Returns null if the model was replaced while it was read. */
  static async load(
    pool: Pool,
    row: ModelRow,
    vectors: PostgresVectors | null,
  ): Promise<FollowedModel | null> {
    const model = await readModel(pool, row.modelNo);
    if (model === null) {
      return null;
    }
    const followed = new FollowedModel(pool, row, model, vectors);
    await followed.#mark();
    for (let last = 0; ; ) {
      const page = await vectorsAfter(pool, row.modelNo, last);
      await vectors?.keep(row.modelNo, companyVectors(page));
      for (const company of page) {
        last = company.companyNo;
        if (company.indexed === null) {
          followed.#waiting.set(company.companyNo, company.changeNo);
        } else {
          followed.#take(company.indexed, company.changeNo);
        }
      }
      if (page.length === 0) {
        return followed;
      }
      await setImmediate();
    }
  }

  /**
   * @throws {LookalikeFault} if the question cannot be answered
   * @throws {RangeError} if the question is out of bounds
   */
  async answer(question: LookalikeQuestion): Promise<LookalikeAnswer> {
    const asked = await this.#vectors?.asked(this.row.modelNo, this.ranking.index, question);
    return rankCompanies(this.ranking, question, asked);
  }

  /** The number of companies changed since the model was built. */
  get changed(): number {
    return this.#changed;
  }

  /** Drops companies removed so far; cheap enough to run before every answer. */
  async forget(): Promise<void> {
    for (const companyNo of await removalsAfter(this.#pool, this.#removedTo)) {
      this.ranking.index.remove(companyNo);
      this.#seen.delete(companyNo);
      this.#waiting.delete(companyNo);
    }
  }

  /** Applies changes. Computes vectors for at most `computedMax` companies; the others wait for the next round. */
  async refresh(computedMax: number, signal: AbortSignal): Promise<void> {
    await this.forget();
    await this.#mark();
    for (let after = this.#marks[0]?.changeNo ?? 0; ; ) {
      const changes = await changesAfter(this.#pool, after, changesMax);
      for (const { companyNo, changeNo } of changes) {
        if ((this.#seen.get(companyNo) ?? 0) < changeNo) {
          this.#waiting.set(companyNo, changeNo);
        }
      }
      after = changes.at(-1)?.changeNo ?? after;
      if (changes.length < changesMax) {
        break;
      }
    }
    await this.#computeWaiting(computedMax, signal);
  }

  /** Deletes older vectors: once the model is old enough, every replica has left the previous one. */
  async forgetOldVectors(builtBeforeMs: number): Promise<void> {
    if (this.#vectors !== null && !this.#hasForgotten && this.row.builtAt.getTime() < builtBeforeMs) {
      await this.#vectors.forgetBefore(this.row.modelNo);
      this.#hasForgotten = true;
    }
  }

  async #computeWaiting(computedMax: number, signal: AbortSignal): Promise<void> {
    for (const until = this.#changed + computedMax; this.#changed < until && !signal.aborted; ) {
      const companyNos = [...this.#waiting.keys()].slice(0, batchSize);
      if (companyNos.length === 0) {
        return;
      }
      const missing: number[] = [];
      const companies = await vectorsOf(this.#pool, this.row.modelNo, companyNos);
      await this.#vectors?.keep(this.row.modelNo, companyVectors(companies));
      for (const company of companies) {
        // Another replica may have been faster.
        if (company.indexed === null) {
          missing.push(company.companyNo);
        } else {
          this.#take(company.indexed, company.changeNo);
          this.#changed++;
        }
      }
      await this.#compute(missing);
      for (const companyNo of companyNos) {
        this.#waiting.delete(companyNo);
      }
    }
  }

  async #compute(companyNos: readonly number[]): Promise<void> {
    const kept: KeptVector[] = [];
    for (const { company, changeNo } of await companiesOf(this.#pool, companyNos)) {
      const own = this.#vectors === null ? null : (vectorByWords(this.#model, company)?.own ?? null);
      const asked = await this.#vectors?.nearness(this.row.modelNo, this.ranking.index, own);
      const indexed = indexCompany(this.#model, this.ranking.index, company, asked);
      if (indexed === null) {
        this.ranking.index.remove(company.companyNo);
        this.#seen.set(company.companyNo, changeNo);
      } else {
        await this.#vectors?.keep(this.row.modelNo, [{ ...indexed, changeNo }]);
        this.#take(indexed, changeNo);
        this.#changed++;
        kept.push({ companyNo: company.companyNo, changeNo, vector: indexed.vector, words: indexed.words });
      }
      // Yield, so that questions are answered in between.
      await setImmediate();
    }
    if (kept.length > 0) {
      await keepVectors(this.#pool, this.row.modelNo, kept);
    }
  }

  #take(company: IndexedCompany, changeNo: number): void {
    this.ranking.index.put(company);
    this.#seen.set(company.companyNo, changeNo);
  }

  async #mark(): Promise<void> {
    const atMs = performance.now();
    this.#marks.push({ atMs, changeNo: await lastChange(this.#pool) });
    while (this.#marks.length > 1 && (this.#marks[1]?.atMs ?? 0) < atMs - lookBackMs) {
      this.#marks.shift();
    }
    this.#removedTo = this.#marks[0]?.changeNo ?? 0;
  }
}

function companyVectors(companies: readonly CompanyWithVector[]): CompanyVector[] {
  return companies.flatMap(({ companyNo, changeNo, indexed }) =>
    indexed === null ? [] : [{ companyNo, changeNo, vector: indexed.vector }],
  );
}
