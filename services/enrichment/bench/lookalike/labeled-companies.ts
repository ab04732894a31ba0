import { createReadStream } from 'node:fs';
import { parse } from 'csv-parse';
import type { StoredCompany } from '../../src/domain/lookalike/build-model.ts';

const companiesMax = 50_000;
const columnsNeeded = ['domain', 'name', 'summary', 'industry'] as const;

type Row = Readonly<Record<(typeof columnsNeeded)[number], string>>;

/** Reads companies and their industries. Only name and summary will be used for ranking. */
export async function readLabeledCompanies(path: string): Promise<StoredCompany[]> {
  const companies: StoredCompany[] = [];
  const rows = createReadStream(path).pipe(parse({ columns: true, bom: true, max_record_size: 1_000_000 }));
  for await (const row of rows as AsyncIterable<Row>) {
    const missing = columnsNeeded.find(column => row[column] === undefined);
    if (missing !== undefined) {
      throw new Error(`The file has no column ${missing}.`);
    }
    if (companies.length === companiesMax) {
      throw new Error(`The file has more than ${companiesMax} companies.`);
    }
    companies.push({
      companyNo: companies.length + 1,
      name: row.name,
      description: row.summary,
      keywords: [],
      industryLabel: row.industry === '' ? null : row.industry,
      facets: { industry: null, companySize: null, revenue: null, companyType: null, country: null },
    });
  }
  return companies;
}
