import type { Pool } from 'pg';
import { type CompanyIndex, middleOf, type Named } from '../../domain/lookalike/company-index.ts';
import type { LookalikeQuestion } from '../../domain/lookalike/lookalike-ranking.ts';
import {
  type AskedNearness,
  type PlacedSeeds,
  usedCompanies,
} from '../../domain/lookalike/rank-companies.ts';

/** The bytes of one company in a result: its number and its nearness. */
const octetsPerCompany = 8;
const removedAtOnce = 20_000;

export interface CompanyVector {
  readonly companyNo: number;
  readonly changeNo: number;
  readonly vector: Float32Array;
}

/**
 * Stores the vectors of companies in Postgres, for deployments that do not keep them in memory. Nearness is
 * computed there for all companies, without an index: the total of a question and its later pages need every
 * candidate's score, but a nearest-neighbor index finds only the first few (ADR 0030).
 */
export class PostgresVectors {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  /** Returns null if the extension is not in our schema. */
  static async open(pool: Pool): Promise<PostgresVectors | null> {
    const { rows } = await pool.query<{ stands: boolean }>('SELECT provide_lookalike_vectors_v1() AS stands');
    return rows[0]?.stands === true ? new PostgresVectors(pool) : null;
  }

  /** Stores the vectors that are not stored yet, of companies that still exist. */
  async keep(modelNo: number, companies: readonly CompanyVector[]): Promise<void> {
    const { rows } = await this.#pool.query<{ company_no: number; change_no: number }>(
      `SELECT company_no, change_no::float8 FROM lookalike_vector WHERE model_no = $1 AND company_no = ANY($2)`,
      [modelNo, companies.map(({ companyNo }) => companyNo)],
    );
    const kept = new Map(rows.map(row => [row.company_no, row.change_no]));
    const missing = companies.filter(({ companyNo, changeNo }) => (kept.get(companyNo) ?? -1) < changeNo);
    if (missing.length === 0) {
      return;
    }
    await this.#pool.query(
      `INSERT INTO lookalike_vector (model_no, company_no, change_no, place)
       SELECT $1, company.company_no, given.change_no, given.place::vector
       FROM unnest($2::integer[], $3::bigint[], $4::text[]) AS given (company_no, change_no, place)
         JOIN company USING (company_no)
       FOR KEY SHARE OF company
       ON CONFLICT (model_no, company_no) DO UPDATE SET change_no = excluded.change_no, place = excluded.place
         WHERE excluded.change_no > lookalike_vector.change_no`,
      [
        modelNo,
        missing.map(({ companyNo }) => companyNo),
        missing.map(({ changeNo }) => changeNo),
        missing.map(({ vector }) => textOf(vector)),
      ],
    );
  }

  /** Returns the nearness that `rankCompanies` needs to answer a question. */
  async asked(
    modelNo: number,
    index: CompanyIndex,
    question: LookalikeQuestion,
    placed: PlacedSeeds,
  ): Promise<AskedNearness> {
    const { seeds, unlikes } = usedCompanies(index, question, undefined, placed);
    const seedVector = await this.#middle(modelNo, index, seeds);
    const unlikeVector = await this.#middle(modelNo, index, unlikes);
    return {
      seeds: await this.nearness(modelNo, index, seedVector),
      unlikes: await this.nearness(modelNo, index, unlikeVector),
      unlikeVector,
    };
  }

  /** Returns the nearness of every row of the index to a vector; NaN if none is stored. */
  async nearness(modelNo: number, index: CompanyIndex, vector: Float32Array | null): Promise<Float32Array> {
    const content = vector === null ? null : await this.#products(modelNo, vector);
    // The index may have grown while Postgres computed; nothing is awaited from here on.
    const nearness = new Float32Array(index.length).fill(Number.NaN);
    for (let at = 0; content !== null && at < content.length; at += octetsPerCompany) {
      const row = index.rowOf(content.readInt32BE(at));
      if (row !== undefined) {
        nearness[row] = content.readFloatBE(at + 4);
      }
    }
    return nearness;
  }

  /** Removes the vectors of earlier models, in batches, so that no statement exceeds its timeout. */
  async forgetBefore(modelNo: number): Promise<void> {
    for (let removed = 1; removed > 0; ) {
      const { rowCount } = await this.#pool.query(
        `DELETE FROM lookalike_vector WHERE ctid = ANY(ARRAY(
           SELECT ctid FROM lookalike_vector WHERE model_no < $1 LIMIT ${removedAtOnce}))`,
        [modelNo],
      );
      removed = rowCount ?? 0;
    }
  }

  async #middle(modelNo: number, index: CompanyIndex, { rows, places }: Named): Promise<Float32Array | null> {
    const companyNos = rows.map(row => index.companyNoAt(row));
    const { rows: found } = await this.#pool.query<{ company_no: number; vector: number[] }>(
      `SELECT company_no, place::real[] AS vector FROM lookalike_vector
       WHERE model_no = $1 AND company_no = ANY($2) ORDER BY array_position($2, company_no)`,
      [modelNo, companyNos],
    );
    const vectors = [
      ...found.map(({ vector }) => Float32Array.from(vector)),
      ...places.map(({ vector }) => vector),
    ];
    return vectors.length === 0 ? null : middleOf(vectors);
  }

  /**
   * Returns number and nearness of all companies as one value: a million separate rows would take the driver seconds.
   * `<#>` is the negative inner product.
   */
  async #products(modelNo: number, vector: Float32Array): Promise<Buffer | null> {
    const { rows } = await this.#pool.query<{ content: Buffer | null }>(
      `SELECT string_agg(int4send(company_no) || float4send((-(place <#> $2::vector))::real), ''::bytea) AS content
       FROM lookalike_vector WHERE model_no = $1`,
      [modelNo, textOf(vector)],
    );
    return rows[0]?.content ?? null;
  }
}

function textOf(vector: Float32Array): string {
  return `[${vector.join(',')}]`;
}
