import { type Calibration, shippedCalibration } from './calibration.ts';
import type { CompanyFacets } from './company-facets.ts';
import { CompanyIndex, type IndexedCompany, type Place } from './company-index.ts';
import { type CompanyText, termsOf, wordsOfText } from './company-text.ts';
import { fitCalibration } from './fit-calibration.ts';
import type { SeedWords } from './lookalike-ranking.ts';
import { companiesMin } from './lookalike-ranking.ts';
import { chooseNeighbors, movedToNeighbors, NearestRows, smoothVectors } from './neighborhood.ts';
import type { SparseRow, SparseRows } from './sparse-rows.ts';
import { rowOf, TermCount, type TermSpace } from './term-space.ts';
import { fitProjection } from './truncated-svd.ts';
import { project, rowProduct } from './vectors.ts';

const dimensionsMax = 256;
const dimensionsMin = 16;
const companiesPerDimension = 10;
const projectedMax = 25_000;

/** A company as stored. */
export interface StoredCompany extends CompanyText {
  readonly companyNo: number;
  readonly facets: CompanyFacets;
  /** The industry used to fit strengths; it is never used for ranking. */
  readonly industryLabel: string | null;
}

/** The data needed to compute vectors and score companies, including later ones. */
export interface LookalikeModel {
  readonly space: TermSpace;
  readonly dimensions: number;
  /** `space.stems.length` × `dimensions`. */
  readonly projection: Float32Array;
  readonly calibration: Calibration;
}

/** Reports the completed fraction of a build, 0 to 1. */
export type BuildProgress = (done: number) => void;

/** Collects all companies, then builds a model and an index from them. */
export class ModelBuilder {
  readonly #count = new TermCount();
  readonly #companies: Pick<StoredCompany, 'companyNo' | 'facets' | 'industryLabel'>[] = [];
  readonly #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
  }

  /** The number of companies in the model. */
  get companies(): number {
    return this.#companies.length;
  }

  /** Adds a company; returns false, and omits it, if its text has no words. */
  add(company: StoredCompany): boolean {
    const terms = termsOf(company);
    if (terms.length === 0) {
      return false;
    }
    this.#count.add(terms);
    const { companyNo, facets, industryLabel } = company;
    this.#companies.push({ companyNo, facets, industryLabel });
    return true;
  }

  /** @throws {RangeError} if there are fewer than `companiesMin` companies */
  finish(onProgress: BuildProgress = () => undefined): { model: LookalikeModel; index: CompanyIndex } {
    if (this.companies < companiesMin) {
      throw new RangeError(`A model needs ${companiesMin} described companies.`);
    }
    const { space, rows } = this.#count.finish();
    onProgress(0.05);
    const dimensions = dimensionsFor(rows.length, space.stems.length);
    const projection = fitProjection(rows, {
      columns: space.stems.length,
      dimensions,
      rowsMax: projectedMax,
      seed: this.#seed,
      onProgress: done => onProgress(0.05 + 0.4 * done),
    });
    const smooth = smoothVectors(vectorsOf(rows, projection, dimensions), rows, {
      dimensions,
      seed: this.#seed,
      onProgress: done => onProgress(0.45 + 0.35 * done),
    });
    const index = this.#indexOf(space, rows, smooth, dimensions);
    const calibration =
      fitCalibration(index, row => this.#companies[row]?.industryLabel ?? null, {
        seed: this.#seed,
        onProgress: done => onProgress(0.8 + 0.2 * done),
      }) ?? shippedCalibration;
    return { model: { space, dimensions, projection, calibration }, index };
  }

  #indexOf(space: TermSpace, rows: SparseRows, smooth: Float32Array, dimensions: number): CompanyIndex {
    const index = new CompanyIndex(dimensions, space.stems.length, rows.length);
    this.#companies.forEach(({ companyNo, facets }, row) => {
      const vector = smooth.subarray(row * dimensions, (row + 1) * dimensions);
      index.put({ companyNo, vector, words: rows.row(row), facets });
    });
    return index;
  }
}

function vectorsOf(rows: SparseRows, projection: Float32Array, dimensions: number): Float32Array {
  const vectors = new Float32Array(rows.length * dimensions);
  for (let row = 0; row < rows.length; row++) {
    vectors.set(project(rows.row(row), projection, dimensions), row * dimensions);
  }
  return vectors;
}

/** Few companies span few dimensions; more would only distinguish each company from every other. */
function dimensionsFor(companies: number, terms: number): number {
  const wished = Math.floor(companies / companiesPerDimension);
  return Math.min(Math.max(dimensionsMin, Math.min(dimensionsMax, wished)), terms);
}

/**
 * Indexes a company added after the model was built; returns null if none of its words is known. An index without
 * vectors needs every row's nearness to `vectorByWords`.
 */
export function indexCompany(
  model: LookalikeModel,
  index: CompanyIndex,
  company: StoredCompany,
  asked?: Float32Array,
): IndexedCompany | null {
  const byWords = vectorByWords(model, wordsOfText(company));
  const { companyNo, facets } = company;
  return byWords && { ...placeAmong(model, index, byWords, { companyNo, asked }), companyNo, facets };
}

/** The words of a description in a model's space, and their vector before neighbors move it. */
export interface VectorByWords {
  readonly words: SparseRow;
  readonly own: Float32Array;
}

/**
 * Moves a description's vector to its neighbors in the index. The index holds the neighbors' moved vectors; their
 * original vectors are recomputed for the centroid.
 */
export function placeAmong(
  model: LookalikeModel,
  index: CompanyIndex,
  { words, own }: VectorByWords,
  {
    companyNo: ownNo,
    asked,
  }: { readonly companyNo?: number; readonly asked?: Float32Array | undefined } = {},
): Place {
  const scores = asked ?? index.nearness(own);
  const nearest = new NearestRows();
  for (let row = 0; row < index.length; row++) {
    const companyNo = index.companyNoAt(row);
    const score = scores[row] as number;
    if (companyNo !== 0 && companyNo !== ownNo && !Number.isNaN(score)) {
      nearest.offer(row, score);
    }
  }
  const near = chooseNeighbors(nearest.list(), row => rowProduct(words, index.words.row(row)));
  const vector = movedToNeighbors(own, near, row =>
    project(index.words.row(row), model.projection, model.dimensions),
  );
  return { vector, words };
}

/** Returns null if the model knows none of the words. */
export function vectorByWords(model: LookalikeModel, described: SeedWords): VectorByWords | null {
  const words = rowOf(described, model.space);
  return words.columns.length === 0
    ? null
    : { words, own: project(words, model.projection, model.dimensions) };
}
