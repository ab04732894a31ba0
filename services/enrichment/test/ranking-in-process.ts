import type { Pool } from 'pg';
import { ModelBuilder, placeAmong, vectorByWords } from '../src/domain/lookalike/build-model.ts';
import type { LookalikeRanking } from '../src/domain/lookalike/lookalike-ranking.ts';
import { rankCompanies } from '../src/domain/lookalike/rank-companies.ts';

/** Runs the service's ranking over the current store, in this thread and without a stored model. */
export async function rankingInProcess(pool: Pool, modelNo = 1): Promise<LookalikeRanking> {
  const builder = new ModelBuilder();
  const { rows } = await pool.query('SELECT * FROM company ORDER BY company_no');
  for (const row of rows) {
    builder.add({
      companyNo: row.company_no,
      name: row.name,
      description: row.description,
      keywords: row.keywords,
      industryLabel: row.industry_label,
      facets: {
        industry: row.industry,
        companySize: row.company_size,
        revenue: row.revenue,
        companyType: row.company_type,
        country: row.country,
      },
    });
  }
  const { model, index } = builder.finish();
  return {
    rank: async question => {
      const described = (question.described ?? []).map(words => {
        const byWords = vectorByWords(model, words);
        return byWords ? placeAmong(model, index, byWords) : ('other_language' as const);
      });
      const placed = { companies: new Map(), described };
      return rankCompanies({ modelNo, index, ...model }, question, undefined, placed);
    },
    status: () => ({
      state: 'ready',
      modelNo,
      companies: index.companies,
      terms: model.space.stems.length,
      dimensions: model.dimensions,
      builtAt: new Date(),
      calibration: 'fitted',
      rebuilding: null,
    }),
  };
}
