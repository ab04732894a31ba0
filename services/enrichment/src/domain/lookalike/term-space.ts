import type { Term } from './company-text.ts';
import type { SeedWords } from './lookalike-ranking.ts';
import { type SparseRow, SparseRows } from './sparse-rows.ts';

/**
 * BM25 parameters: saturation of repeated words and weight of a text's length (Robertson and Zaragoza 2009, "BM25 and
 * Beyond").
 */
const saturation = 2;
const lengthShare = 0.75;

/** A word in more than this share of all companies is not informative. */
const companyShareMax = 0.5;
const termsMax = 40_000;

/** Words that are mostly capitalized name locations, people and brands: they say little about the business. */
const properNameWeight = 0.3;

/** The words that a model knows. A word's column is its index in every list. */
export interface TermSpace {
  readonly stems: readonly string[];
  /** The most frequent spelling of each word, for display. */
  readonly surfaces: readonly string[];
  /** The rarity of each word times its capitalization weight. */
  readonly weights: Float32Array;
  /** The mean total weight of a text's words, for length normalization. */
  readonly meanLength: number;
  readonly columns: ReadonlyMap<string, number>;
}

interface Sight {
  readonly id: number;
  companies: number;
  inside: number;
  capital: number;
  readonly surfaces: Map<string, number>;
}

/** Reads all companies once to compute the weights of words. */
export class TermCount {
  readonly #sights = new Map<string, Sight>();
  readonly #counts = new SparseRows();
  #lengthSum = 0;

  /** The number of companies added. */
  get companies(): number {
    return this.#counts.length;
  }

  add(terms: readonly Term[]): void {
    const counts = new Map<number, number>();
    for (const term of terms) {
      const sight = this.#see(term);
      if (!counts.has(sight.id)) {
        sight.companies++;
      }
      counts.set(sight.id, (counts.get(sight.id) ?? 0) + term.weight);
      this.#lengthSum += term.weight;
    }
    this.#counts.append([...counts.keys()], [...counts.values()]);
  }

  /** Returns the words that are kept, and the weighted rows of all companies in the order in which they were added. */
  finish(): { space: TermSpace; rows: SparseRows } {
    const space = this.#space();
    const kept = new Int32Array(this.#sights.size).fill(-1);
    for (const [stem, column] of space.columns) {
      kept[this.#sights.get(stem)?.id ?? 0] = column;
    }
    const rows = new SparseRows();
    for (let index = 0; index < this.#counts.length; index++) {
      const { columns, values } = this.#counts.row(index);
      const counts = new Map<number, number>();
      for (let at = 0; at < columns.length; at++) {
        const column = kept[columns[at] as number] as number;
        if (column >= 0) {
          counts.set(column, values[at] as number);
        }
      }
      const row = weigh(counts, space);
      rows.append(row.columns, row.values);
    }
    return { space, rows };
  }

  #see(term: Term): Sight {
    let sight = this.#sights.get(term.stem);
    if (sight === undefined) {
      sight = { id: this.#sights.size, companies: 0, inside: 0, capital: 0, surfaces: new Map() };
      this.#sights.set(term.stem, sight);
    }
    if (term.isCapital !== null) {
      sight.inside++;
      sight.capital += term.isCapital ? 1 : 0;
      // Only a few spellings are counted, to bound the memory of a word.
      if (sight.surfaces.size < 4 || sight.surfaces.has(term.surface)) {
        sight.surfaces.set(term.surface, (sight.surfaces.get(term.surface) ?? 0) + 1);
      }
    }
    return sight;
  }

  #space(): TermSpace {
    const companies = this.companies;
    // A word of only one company connects nothing. In large stores, words of a handful of companies only cost memory.
    const companiesMin = Math.max(2, Math.floor(companies / 20_000));
    const known = [...this.#sights]
      .filter(
        ([, sight]) => sight.companies >= companiesMin && sight.companies <= companyShareMax * companies,
      )
      .sort(([a, x], [b, y]) => y.companies - x.companies || compare(a, b))
      .slice(0, termsMax)
      .sort(([a], [b]) => compare(a, b));
    return termSpaceOf(
      known.map(([stem]) => stem),
      known.map(([stem, sight]) => commonest(sight.surfaces) ?? stem),
      Float32Array.from(known, ([, sight]) => rarity(sight.companies, companies) * writing(sight)),
      companies === 0 ? 1 : this.#lengthSum / companies,
    );
  }
}

export function termSpaceOf(
  stems: readonly string[],
  surfaces: readonly string[],
  weights: Float32Array,
  meanLength: number,
): TermSpace {
  const columns = new Map(stems.map((stem, column) => [stem, column]));
  return { stems, surfaces, weights, meanLength, columns };
}

/** Returns the row of a company that was added after the words were counted. */
export function rowOf(words: SeedWords, space: TermSpace): SparseRow {
  const counts = new Map<number, number>();
  for (const [stem, weight] of Object.entries(words)) {
    const column = space.columns.get(stem);
    if (column !== undefined) {
      counts.set(column, weight);
    }
  }
  return weigh(counts, space);
}

/** Returns BM25 weights, normalized to a vector of length 1. */
function weigh(counts: ReadonlyMap<number, number>, space: TermSpace): SparseRow {
  const columns = Int32Array.from(counts.keys()).sort();
  const values = new Float32Array(columns.length);
  let length = 0;
  for (const count of counts.values()) {
    length += count;
  }
  const norm = saturation * (1 - lengthShare + (lengthShare * length) / space.meanLength);
  let squares = 0;
  for (let at = 0; at < columns.length; at++) {
    const column = columns[at] as number;
    const count = counts.get(column) ?? 0;
    const value = ((count * (saturation + 1)) / (count + norm)) * (space.weights[column] as number);
    values[at] = value;
    squares += value * value;
  }
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0;
  for (let at = 0; at < values.length; at++) {
    values[at] = (values[at] as number) * scale;
  }
  return { columns, values };
}

function rarity(companiesWith: number, companies: number): number {
  return Math.log(1 + (companies - companiesWith + 0.5) / (companiesWith + 0.5));
}

/** Returns 1 for a word in lower case, falling to `properNameWeight` for one that is nearly always capitalized. */
function writing(sight: Sight): number {
  const share = sight.capital / (sight.inside + 1);
  return 1 - (1 - properNameWeight) * Math.min(1, Math.max(0, (share - 0.5) / 0.4));
}

function commonest(surfaces: ReadonlyMap<string, number>): string | undefined {
  return [...surfaces].sort(([a, x], [b, y]) => y - x || compare(a, b))[0]?.[0];
}

/** Compares by code units, so that the order is the same on every machine. */
function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
