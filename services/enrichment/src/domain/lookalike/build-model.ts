import type { Calibration } from './calibration.ts';
import type { CompanyFacets } from './company-facets.ts';
import { CompanyIndex } from './company-index.ts';
import { type CompanyText, termsOf } from './company-text.ts';
import { fitCalibration } from './fit-calibration.ts';
import { smoothPlaces } from './neighbourhood.ts';
import { shippedCalibration } from './shipped-calibration.ts';
import type { SparseRows } from './sparse-rows.ts';
import { TermCount, type TermSpace } from './term-space.ts';
import { fitProjection } from './truncated-svd.ts';
import { project } from './vectors.ts';

/** Fewer described companies make no space in which nearness would mean anything. */
export const companiesMin = 50;

const dimensionsMax = 256;
const dimensionsMin = 16;
const companiesPerDimension = 10;
const projectedMax = 25_000;

/** A company as the store has it. */
export interface StoredCompany extends CompanyText {
  readonly companyNo: number;
  readonly facets: CompanyFacets;
  /** The industry by which strengths are fitted; it never enters the ranking. */
  readonly industryLabel: string | null;
}

/** What is needed to place and judge companies, those that come later too. */
export interface LookalikeModel {
  readonly space: TermSpace;
  readonly dimensions: number;
  /** `space.stems.length` × `dimensions`. */
  readonly projection: Float32Array;
  readonly calibration: Calibration;
}

/** How much of a build stands, 0 to 1. */
export type BuildProgress = (done: number) => void;

/** Takes all companies in, and then makes a model and an index of them. */
export class ModelBuilder {
  readonly #count = new TermCount();
  readonly #companies: Pick<StoredCompany, 'companyNo' | 'facets' | 'industryLabel'>[] = [];
  readonly #seed: number;

  constructor(seed = 1) {
    this.#seed = seed;
  }

  /** Companies that were taken in. */
  get companies(): number {
    return this.#companies.length;
  }

  /** Whether the company is described in words at all; the others are left out. */
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

  /** @throws {RangeError} with fewer than `companiesMin` companies */
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
    const smooth = smoothPlaces(placesOf(rows, projection, dimensions), rows, {
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
      const place = smooth.subarray(row * dimensions, (row + 1) * dimensions);
      index.put({ companyNo, place, words: rows.row(row), facets });
    });
    return index;
  }
}

function placesOf(rows: SparseRows, projection: Float32Array, dimensions: number): Float32Array {
  const places = new Float32Array(rows.length * dimensions);
  for (let row = 0; row < rows.length; row++) {
    places.set(project(rows.row(row), projection, dimensions), row * dimensions);
  }
  return places;
}

/** Few companies span few directions; more would only tell each company from every other. */
function dimensionsFor(companies: number, terms: number): number {
  const wished = Math.floor(companies / companiesPerDimension);
  return Math.min(Math.max(dimensionsMin, Math.min(dimensionsMax, wished)), terms);
}
