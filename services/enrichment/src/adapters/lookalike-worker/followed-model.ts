import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { Pool } from 'pg';
import {
  indexCompany,
  type LookalikeModel,
  placeAmong,
  vectorByWords,
} from '../../domain/lookalike/build-model.ts';
import { CompanyIndex, type IndexedCompany, type Place } from '../../domain/lookalike/company-index.ts';
import { wordsOfText } from '../../domain/lookalike/company-text.ts';
import {
  type LookalikeAnswer,
  LookalikeFault,
  type LookalikeQuestion,
  type SeedWords,
  type UnusableReason,
} from '../../domain/lookalike/lookalike-ranking.ts';
import { type PlacedSeeds, type RankingModel, rankCompanies } from '../../domain/lookalike/rank-companies.ts';
import { ofCompany, ofDescription, whyUnusable } from '../../domain/lookalike/seed-words.ts';
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
const placesMax = 1_000;

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
  /** The places of described seeds, by a hash of their words. */
  readonly #places = new Map<string, Place>();

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
  async answer(question: LookalikeQuestion, deadlineAtMs: number): Promise<LookalikeAnswer> {
    const placed = await this.#place(question, deadlineAtMs);
    const asked = await this.#vectors?.asked(this.row.modelNo, this.ranking.index, question, placed);
    return rankCompanies(this.ranking, question, asked, placed);
  }

  /** Whether so many companies have changed since the model was built, with or without a vector, that the next is due. */
  isBuildDue(rebuildShare: number): boolean {
    const dueFrom = this.row.companies * rebuildShare;
    // A company whose text has no words waits again for each model; only a change after this one counts.
    let changed = this.#changed;
    for (const changeNo of this.#waiting.values()) {
      changed += changeNo > this.row.changeNo ? 1 : 0;
    }
    return changed > dueFrom;
  }

  /**
   * Places the descriptions of a question, and the companies that the index does not have yet. At the deadline, the next
   * try continues with the places that are remembered.
   */
  async #place(
    { seeds, unlike = [], described = [] }: LookalikeQuestion,
    deadlineAtMs: number,
  ): Promise<PlacedSeeds> {
    const assertInTime = () => {
      if (Date.now() > deadlineAtMs) {
        throw new LookalikeFault('no_answer', 'The request took too long.');
      }
    };
    const missing = [...seeds, ...unlike].filter(each => this.ranking.index.rowOf(each) === undefined);
    const companies = new Map<number, Place | UnusableReason>();
    for (const { company, changeNo } of missing.length > 0 ? await companiesOf(this.#pool, missing) : []) {
      assertInTime();
      const place = await this.#placeOf(wordsOfText(company), ofCompany);
      const isNewer = place === 'other_language' && changeNo > this.row.changeNo;
      companies.set(company.companyNo, isNewer ? 'not_indexed' : place);
    }
    const places: (Place | UnusableReason)[] = [];
    for (const words of described) {
      assertInTime();
      places.push(await this.#placeOf(words, ofDescription));
    }
    return { companies, described: places };
  }

  /** Remembers the place, because each chunk of a run asks again, and a place takes a scan of the index. */
  async #placeOf(words: SeedWords, needed: typeof ofCompany): Promise<Place | UnusableReason> {
    const key = createHash('sha256').update(JSON.stringify(words)).digest('base64');
    const remembered = this.#places.get(key);
    if (remembered !== undefined) {
      return remembered;
    }
    const byWords = vectorByWords(this.#model, words);
    const known = byWords?.words.columns.length ?? 0;
    const reason = whyUnusable(Object.keys(words).length, known, needed);
    if (reason !== null || byWords === null) {
      return reason ?? 'other_language';
    }
    const asked = await this.#vectors?.nearness(this.row.modelNo, this.ranking.index, byWords.own);
    const place = placeAmong(this.#model, this.ranking.index, byWords, { asked });
    if (this.#places.size >= placesMax) {
      this.#places.clear();
    }
    this.#places.set(key, place);
    await setImmediate();
    return place;
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
      const own =
        this.#vectors === null ? null : (vectorByWords(this.#model, wordsOfText(company))?.own ?? null);
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
