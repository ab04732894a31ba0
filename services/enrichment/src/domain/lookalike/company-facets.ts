import type { CandidateFilter, MatchingFacet } from './lookalike-ranking.ts';

/** The fields by which candidates are filtered and compared; null if unknown. */
export interface CompanyFacets {
  readonly industry: string | null;
  readonly companySize: string | null;
  readonly revenue: string | null;
  readonly companyType: string | null;
  readonly country: string | null;
}

const fields = ['industry', 'companySize', 'revenue', 'companyType', 'country'] as const;
type Field = (typeof fields)[number];

const facetNames: Record<Field, MatchingFacet['facet']> = {
  industry: 'industry',
  companySize: 'company_size',
  revenue: 'revenue',
  companyType: 'company_type',
  country: 'country',
};

/** The facets of all companies as small numbers, one column per field. 0 means unknown. */
export class FacetColumns {
  readonly #codes = fields.map(() => new Map<string, number>());
  /** The value of each code. */
  readonly #values = fields.map(() => ['']);
  #columns = fields.map(() => new Int32Array(1_024));
  #length = 0;

  append(facets: CompanyFacets): void {
    if (this.#length === (this.#columns[0]?.length ?? 0)) {
      this.#columns = this.#columns.map(column => {
        const larger = new Int32Array(column.length * 2);
        larger.set(column);
        return larger;
      });
    }
    fields.forEach((field, at) => {
      const column = this.#columns[at];
      if (column !== undefined) {
        column[this.#length] = this.#codeOf(at, facets[field]);
      }
    });
    this.#length++;
  }

  /** Returns a function that checks whether a row passes all lists of a filter. */
  passes(filter: CandidateFilter): (row: number) => boolean {
    const lists: Record<Field, readonly string[] | undefined> = {
      industry: filter.industries,
      companySize: filter.companySizes,
      revenue: filter.revenues,
      companyType: filter.companyTypes,
      country: filter.countries,
    };
    const asked = fields.flatMap((field, at) => {
      const values = lists[field];
      const column = this.#columns[at];
      if (values === undefined || values.length === 0 || column === undefined) {
        return [];
      }
      return [{ column, codes: new Set(values.map(value => this.#codes[at]?.get(value) ?? -1)) }];
    });
    return row => asked.every(({ column, codes }) => codes.has(column[row] as number));
  }

  /** Returns the facets in which a company equals any of some others. */
  shared(row: number, others: readonly number[]): MatchingFacet[] {
    return fields.flatMap((field, at) => {
      const column = this.#columns[at];
      const code = column?.[row] ?? 0;
      if (code === 0 || !others.some(other => column?.[other] === code)) {
        return [];
      }
      return [{ facet: facetNames[field], value: this.#values[at]?.[code] ?? '' }];
    });
  }

  #codeOf(at: number, value: string | null): number {
    const codes = this.#codes[at];
    if (value === null || codes === undefined) {
      return 0;
    }
    const known = codes.get(value);
    if (known !== undefined) {
      return known;
    }
    codes.set(value, codes.size + 1);
    this.#values[at]?.push(value);
    return codes.size;
  }
}
