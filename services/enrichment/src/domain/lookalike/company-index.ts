import { type CompanyFacets, FacetColumns } from './company-facets.ts';
import { type SparseRow, SparseRows } from './sparse-rows.ts';
import { dotAt } from './vectors.ts';

/** The weight of shared words in the nearness: they decide between two places that are equally near. */
const wordShare = 0.2;

/** A company in the index. */
export interface IndexedCompany {
  readonly companyNo: number;
  /** Its place, moved toward its neighbors, of length 1. */
  readonly place: Float32Array;
  readonly words: SparseRow;
  readonly facets: CompanyFacets;
}

/** What companies are scored against: a place of length 1, and a weight for every word. */
export interface Aim {
  readonly place: Float32Array;
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
  readonly #keepsPlaces: boolean;
  readonly #rowByCompany = new Map<number, number>();
  #places: Float32Array;
  #companyNos = new Int32Array(1_024);
  #length = 0;

  /**
   * Without places, the index takes a third of the memory, and callers that request scores must pass every row's
   * nearness.
   */
  constructor(dimensions: number, terms: number, companies = 1_024, keepsPlaces = true) {
    this.dimensions = dimensions;
    this.#terms = terms;
    this.#keepsPlaces = keepsPlaces;
    this.#places = new Float32Array(keepsPlaces ? Math.max(1, companies) * dimensions : 0);
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
    if (this.#keepsPlaces) {
      this.#places.set(company.place, row * this.dimensions);
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

  placeAt(row: number): Float32Array {
    return this.#places.subarray(row * this.dimensions, (row + 1) * this.dimensions);
  }

  /** The aim for companies like these: the centroid of their places, and the mean of their words. */
  aimAt(rows: readonly number[]): Aim {
    return { place: middleOf(rows.map(row => this.placeAt(row))), words: this.wordsOf(rows) };
  }

  /** The mean of the companies' words, as a weight for every word. */
  wordsOf(rows: readonly number[]): Float32Array {
    const words = new Float32Array(this.#terms);
    for (const row of rows) {
      const { columns, values } = this.words.row(row);
      for (let at = 0; at < columns.length; at++) {
        const column = columns[at] as number;
        words[column] = (words[column] as number) + (values[at] as number) / rows.length;
      }
    }
    return words;
  }

  /** Scores every row by an exact scan. */
  scores({ place, words }: Aim): Float32Array {
    const scores = new Float32Array(this.#length);
    for (let row = 0; row < this.#length; row++) {
      scores[row] =
        dotAt(place, this.#places, row * this.dimensions) + wordShare * this.words.times(row, words);
    }
    return scores;
  }

  /** Computes the same scores from a nearness computed elsewhere; NaN for rows whose nearness is NaN. */
  scoresFrom(nearness: Float32Array, words: Float32Array): Float32Array {
    return nearness.map((near, row) => near + wordShare * this.words.times(row, words));
  }

  /** The nearness of every row to a place, excluding words. */
  nearness(place: Float32Array): Float32Array {
    const nearness = new Float32Array(this.#length);
    for (let row = 0; row < this.#length; row++) {
      nearness[row] = dotAt(place, this.#places, row * this.dimensions);
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
    if (this.#keepsPlaces && needed > this.#places.length) {
      const larger = new Float32Array(Math.ceil(this.#places.length * 1.25) + this.dimensions);
      larger.set(this.#places);
      this.#places = larger;
    }
  }
}

/** The normalized centroid of places. */
export function middleOf(places: readonly Float32Array[]): Float32Array {
  const middle = new Float32Array(places[0]?.length ?? 0);
  for (const place of places) {
    for (let at = 0; at < middle.length; at++) {
      middle[at] = (middle[at] as number) + (place[at] as number);
    }
  }
  const length = Math.sqrt(dotAt(middle, middle, 0)) || 1;
  for (let at = 0; at < middle.length; at++) {
    middle[at] = (middle[at] as number) / length;
  }
  return middle;
}
