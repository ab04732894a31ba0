import { type CompanyFacets, FacetColumns } from './company-facets.ts';
import { type SparseRow, SparseRows } from './sparse-rows.ts';
import { dotAt } from './vectors.ts';

/** The weight of shared words in the nearness: they decide between two vectors that are equally near. */
const wordShare = 0.2;

/** Where a description is in a model's space. */
export interface Place {
  /** Its vector, moved toward its neighbors, of length 1. */
  readonly vector: Float32Array;
  readonly words: SparseRow;
}

/** A company in the index. */
export interface IndexedCompany extends Place {
  readonly companyNo: number;
  readonly facets: CompanyFacets;
}

/** Companies and descriptions that a question names: rows of the index, and places that are not in it. */
export interface Named {
  readonly rows: readonly number[];
  readonly places: readonly Place[];
}

/** What companies are scored against: a vector of length 1, and a weight for every word. */
export interface Aim {
  readonly vector: Float32Array;
  readonly words: Float32Array;
}

/**
 * All companies in flat memory. A changed company gets a new row and its old row becomes dead, so rows never move; the
 * next model starts with an empty index.
 */
export class CompanyIndex {
  readonly dimensions: number;
  readonly words = new SparseRows();
  readonly facets = new FacetColumns();
  readonly #terms: number;
  readonly #keepsVectors: boolean;
  readonly #rowByCompany = new Map<number, number>();
  #vectors: Float32Array;
  #companyNos = new Int32Array(1_024);
  #length = 0;

  /**
   * Without vectors, the index takes a third of the memory, and callers that request scores must pass every row's
   * nearness.
   */
  constructor(dimensions: number, terms: number, companies = 1_024, keepsVectors = true) {
    this.dimensions = dimensions;
    this.#terms = terms;
    this.#keepsVectors = keepsVectors;
    this.#vectors = new Float32Array(keepsVectors ? Math.max(1, companies) * dimensions : 0);
  }

  /** The number of companies that can be found. */
  get companies(): number {
    return this.#rowByCompany.size;
  }

  /** The number of rows, including dead ones. */
  get length(): number {
    return this.#length;
  }

  put(company: IndexedCompany): void {
    this.remove(company.companyNo);
    this.#makeRoom();
    const row = this.#length;
    if (this.#keepsVectors) {
      this.#vectors.set(company.vector, row * this.dimensions);
    }
    this.words.append(company.words.columns, company.words.values);
    this.facets.append(company.facets);
    this.#companyNos[row] = company.companyNo;
    this.#rowByCompany.set(company.companyNo, row);
    this.#length++;
  }

  /** Removes the company from all later answers. */
  remove(companyNo: number): void {
    const row = this.#rowByCompany.get(companyNo);
    if (row !== undefined) {
      this.#rowByCompany.delete(companyNo);
      this.#companyNos[row] = 0;
    }
  }

  rowOf(companyNo: number): number | undefined {
    return this.#rowByCompany.get(companyNo);
  }

  /** 0 for a dead row. */
  companyNoAt(row: number): number {
    return this.#companyNos[row] as number;
  }

  vectorAt(row: number): Float32Array {
    return this.#vectors.subarray(row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** The aim for companies like these: the centroid of their vectors, and the mean of their words. */
  aimAt(named: Named): Aim {
    const { rows, places } = named;
    const vectors = [...rows.map(row => this.vectorAt(row)), ...places.map(({ vector }) => vector)];
    return { vector: middleOf(vectors), words: this.wordsOf(named) };
  }

  /** The mean of the words, as a weight for every word. */
  wordsOf({ rows, places }: Named): Float32Array {
    const words = new Float32Array(this.#terms);
    const all = [...rows.map(row => this.words.row(row)), ...places.map(place => place.words)];
    for (const { columns, values } of all) {
      for (let at = 0; at < columns.length; at++) {
        const column = columns[at] as number;
        words[column] = (words[column] as number) + (values[at] as number) / all.length;
      }
    }
    return words;
  }

  /** Scores a place that is not in the index, like `scores` does rows. */
  scoreOf({ vector, words: { columns, values } }: Place, aim: Aim): number {
    const shared = columns.reduce(
      (sum, column, at) => sum + (values[at] as number) * (aim.words[column] as number),
      0,
    );
    return dotAt(vector, aim.vector, 0) + wordShare * shared;
  }

  /** Scores every row by an exact scan. */
  scores({ vector, words }: Aim): Float32Array {
    const scores = new Float32Array(this.#length);
    for (let row = 0; row < this.#length; row++) {
      scores[row] =
        dotAt(vector, this.#vectors, row * this.dimensions) + wordShare * this.words.times(row, words);
    }
    return scores;
  }

  /** Computes the same scores from a nearness computed elsewhere; NaN for rows whose nearness is NaN. */
  scoresFrom(nearness: Float32Array, words: Float32Array): Float32Array {
    return nearness.map((near, row) => near + wordShare * this.words.times(row, words));
  }

  /** The nearness of every row to a vector, excluding words. */
  nearness(vector: Float32Array): Float32Array {
    const nearness = new Float32Array(this.#length);
    for (let row = 0; row < this.#length; row++) {
      nearness[row] = dotAt(vector, this.#vectors, row * this.dimensions);
    }
    return nearness;
  }

  #makeRoom(): void {
    if (this.#length === this.#companyNos.length) {
      const larger = new Int32Array(this.#companyNos.length * 2);
      larger.set(this.#companyNos);
      this.#companyNos = larger;
    }
    const needed = (this.#length + 1) * this.dimensions;
    if (this.#keepsVectors && needed > this.#vectors.length) {
      const larger = new Float32Array(Math.ceil(this.#vectors.length * 1.25) + this.dimensions);
      larger.set(this.#vectors);
      this.#vectors = larger;
    }
  }
}

/** The normalized centroid of vectors. */
export function middleOf(vectors: readonly Float32Array[]): Float32Array {
  const middle = new Float32Array(vectors[0]?.length ?? 0);
  for (const vector of vectors) {
    for (let at = 0; at < middle.length; at++) {
      middle[at] = (middle[at] as number) + (vector[at] as number);
    }
  }
  const length = Math.sqrt(dotAt(middle, middle, 0)) || 1;
  for (let at = 0; at < middle.length; at++) {
    middle[at] = (middle[at] as number) / length;
  }
  return middle;
}
