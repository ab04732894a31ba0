import type { Pool, PoolClient } from 'pg';
import { companiesMin, type LookalikeModel, type StoredCompany } from '../../domain/lookalike/build-model.ts';
import type { Calibration } from '../../domain/lookalike/calibration.ts';
import type { IndexedCompany } from '../../domain/lookalike/company-index.ts';
import type { SparseRow } from '../../domain/lookalike/sparse-rows.ts';
import { termSpaceOf } from '../../domain/lookalike/term-space.ts';
import { type CompanyRow, companyColumns, companyOf, facetsOf } from './stored-companies.ts';

/** Incremented whenever texts are read or weighted differently, so that no code reads a model of another format. */
const format = 1;

const pieceBytesMax = 4_194_304;
const termsPerPiece = 10_000;
const companiesPerPage = 1_000;
const removalsMax = 100_000;

/** The key of the advisory lock that lets only one replica build at a time; the number is arbitrary. */
const buildLock = 732_650_301;

/** Whether a company has a description or keywords. */
const isDescribed = `(company.description <> '' OR company.keywords <> '{}')`;

/** A complete model. */
export interface ModelRow {
  readonly modelNo: number;
  readonly changeNo: number;
  readonly companies: number;
  readonly terms: number;
  readonly dimensions: number;
  readonly builtAt: Date;
}

/** The vector of a company as of a change, to be stored. */
export interface KeptVector {
  readonly companyNo: number;
  readonly changeNo: number;
  readonly vector: Float32Array;
  readonly words: SparseRow;
}

/** A company, with its vector if the model has one for the company's current state. */
export interface CompanyWithVector {
  readonly companyNo: number;
  readonly changeNo: number;
  readonly indexed: IndexedCompany | null;
}

/** Returns the newest complete model; null before the first. */
export async function newestModel(pool: Pool): Promise<ModelRow | null> {
  const { rows } = await pool.query(
    `SELECT model_no AS "modelNo", change_no::float8 AS "changeNo", companies, terms, dimensions, built_at AS "builtAt"
     FROM lookalike_model WHERE built_at IS NOT NULL AND format = $1 ORDER BY model_no DESC LIMIT 1`,
    [format],
  );
  return (rows[0] as ModelRow | undefined) ?? null;
}

/** Returns null if the model has been replaced. */
export async function readModel(pool: Pool, modelNo: number): Promise<LookalikeModel | null> {
  const { rows } = await pool.query(
    'SELECT dimensions, mean_length, calibration FROM lookalike_model WHERE model_no = $1',
    [modelNo],
  );
  const row = rows[0] as { dimensions: number; mean_length: number; calibration: Calibration } | undefined;
  if (row === undefined) {
    return null;
  }
  const terms = (await readPieces(pool, modelNo, 'terms')).flatMap(
    piece => JSON.parse(piece.toString('utf8')) as [string, string][],
  );
  const weights = floatsOf(Buffer.concat(await readPieces(pool, modelNo, 'weights')));
  const projection = floatsOf(Buffer.concat(await readPieces(pool, modelNo, 'projection')));
  if (weights.length !== terms.length || projection.length !== terms.length * row.dimensions) {
    // The model was replaced between two statements, and its pieces are gone.
    return null;
  }
  const space = termSpaceOf(
    terms.map(([stem]) => stem),
    terms.map(([, surface]) => surface),
    weights,
    row.mean_length,
  );
  return { space, dimensions: row.dimensions, projection, calibration: row.calibration };
}

/** Inserts a model that stays invisible until it is finished. Removes what an earlier build left unfinished. */
export async function beginModel(
  pool: Pool,
  model: LookalikeModel,
  { changeNo, companies }: { changeNo: number; companies: number },
): Promise<number> {
  const { space, dimensions, projection, calibration } = model;
  await pool.query('DELETE FROM lookalike_model WHERE built_at IS NULL');
  const { rows } = await pool.query<{ model_no: number }>(
    `INSERT INTO lookalike_model (format, change_no, companies, terms, dimensions, mean_length, calibration)
     VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING model_no`,
    [
      format,
      changeNo,
      companies,
      space.stems.length,
      dimensions,
      space.meanLength,
      JSON.stringify(calibration),
    ],
  );
  const modelNo = rows[0]?.model_no as number;
  const terms: Buffer[] = [];
  for (let start = 0; start < space.stems.length; start += termsPerPiece) {
    const piece = space.stems
      .slice(start, start + termsPerPiece)
      .map((stem, at) => [stem, space.surfaces[start + at]]);
    terms.push(Buffer.from(JSON.stringify(piece)));
  }
  await writePieces(pool, modelNo, 'terms', terms);
  await writePieces(pool, modelNo, 'weights', piecesOf(bytesOf(space.weights), pieceBytesMax));
  await writePieces(pool, modelNo, 'projection', piecesOf(bytesOf(projection), pieceBytesMax));
  return modelNo;
}

/** Publishes the model to replicas and deletes older models. */
export async function finishModel(pool: Pool, modelNo: number): Promise<void> {
  await pool.query('UPDATE lookalike_model SET built_at = now() WHERE model_no = $1', [modelNo]);
  // Delete vectors first, in batches, so that no statement exceeds its timeout.
  for (let removed = 1; removed > 0; ) {
    const { rowCount } = await pool.query(
      `DELETE FROM lookalike_place WHERE ctid = ANY(ARRAY(
         SELECT ctid FROM lookalike_place WHERE model_no < $1 LIMIT 20000))`,
      [modelNo],
    );
    removed = rowCount ?? 0;
  }
  await pool.query('DELETE FROM lookalike_model WHERE model_no < $1', [modelNo]);
}

/** Stores the vectors of companies that still exist; of two vectors of one company, that of the later change wins. */
export async function keepVectors(
  pool: Pool,
  modelNo: number,
  vectors: readonly KeptVector[],
): Promise<void> {
  await pool.query(
    `INSERT INTO lookalike_place (model_no, company_no, change_no, place, word_columns, word_weights)
     SELECT model.model_no, company.company_no, kept.change_no, kept.place, kept.word_columns, kept.word_weights
     FROM unnest($2::integer[], $3::bigint[], $4::bytea[], $5::bytea[], $6::bytea[])
            AS kept (company_no, change_no, place, word_columns, word_weights)
       JOIN company USING (company_no)
       JOIN lookalike_model AS model ON model.model_no = $1
     FOR KEY SHARE OF company, model
     ON CONFLICT (model_no, company_no) DO UPDATE
       SET change_no = excluded.change_no, place = excluded.place,
         word_columns = excluded.word_columns, word_weights = excluded.word_weights
       WHERE excluded.change_no > lookalike_place.change_no`,
    [
      modelNo,
      vectors.map(({ companyNo }) => companyNo),
      vectors.map(({ changeNo }) => changeNo),
      vectors.map(({ vector }) => bytesOf(vector)),
      vectors.map(({ words }) => bytesOf(words.columns)),
      vectors.map(({ words }) => bytesOf(words.values)),
    ],
  );
}

/** Returns a page of companies after a company number, in order, with their vectors if these are current. */
export async function vectorsAfter(
  pool: Pool,
  modelNo: number,
  companyNo: number,
): Promise<CompanyWithVector[]> {
  const { rows } = await pool.query<VectorRow>(
    `${selectVectors} WHERE company.company_no > $2 AND (kept.company_no IS NOT NULL OR ${isDescribed})
     ORDER BY company.company_no LIMIT ${companiesPerPage}`,
    [modelNo, companyNo],
  );
  return rows.map(companyWithVector);
}

export async function vectorsOf(
  pool: Pool,
  modelNo: number,
  companyNos: readonly number[],
): Promise<CompanyWithVector[]> {
  const { rows } = await pool.query<VectorRow>(`${selectVectors} WHERE company.company_no = ANY($2)`, [
    modelNo,
    companyNos,
  ]);
  return rows.map(companyWithVector);
}

/** Returns a page of companies after a company number, in order, as input for a model. */
export async function companiesAfter(
  pool: Pool,
  companyNo: number,
): Promise<{ changeNo: number; company: StoredCompany }[]> {
  const { rows } = await pool.query<CompanyRow>(
    `SELECT ${companyColumns} FROM company WHERE company_no > $1 ORDER BY company_no LIMIT ${companiesPerPage}`,
    [companyNo],
  );
  return rows.map(row => ({ changeNo: Number(row.change_no), company: companyOf(row) }));
}

export async function companiesOf(
  pool: Pool,
  companyNos: readonly number[],
): Promise<{ changeNo: number; company: StoredCompany }[]> {
  const { rows } = await pool.query<CompanyRow>(
    `SELECT ${companyColumns} FROM company WHERE company_no = ANY($1)`,
    [companyNos],
  );
  return rows.map(row => ({ changeNo: Number(row.change_no), company: companyOf(row) }));
}

/** Returns companies changed after a change number, in order, at most `countMax`. */
export async function changesAfter(
  pool: Pool,
  changeNo: number,
  countMax: number,
): Promise<{ companyNo: number; changeNo: number }[]> {
  const { rows } = await pool.query<{ companyNo: number; changeNo: number }>(
    `SELECT company_no AS "companyNo", change_no::float8 AS "changeNo" FROM company
     WHERE change_no > $1 ORDER BY change_no LIMIT $2`,
    [changeNo, countMax],
  );
  return rows;
}

/** Returns companies removed after a change. */
export async function removalsAfter(pool: Pool, changeNo: number): Promise<number[]> {
  const { rows } = await pool.query<{ company_no: number }>(
    `SELECT company_no FROM removed_record WHERE change_no > $1 AND company_no IS NOT NULL
     ORDER BY change_no LIMIT ${removalsMax}`,
    [changeNo],
  );
  return rows.map(row => row.company_no);
}

/** Returns the last change number assigned, whether visible or not. */
export async function lastChange(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ last: number }>(
    `SELECT coalesce(pg_sequence_last_value('record_change_no'), 0)::float8 AS last`,
  );
  return rows[0]?.last ?? 0;
}

/** Counts companies with a description or keywords, stopping at the number that a model needs. */
export async function describedCompanies(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM (
       SELECT FROM company WHERE ${isDescribed} LIMIT ${companiesMin}) AS described`,
  );
  return rows[0]?.count ?? 0;
}

/** Runs `work` while no other process builds; returns null if one does. */
export async function withBuildLock<Result>(pool: Pool, work: () => Promise<Result>): Promise<Result | null> {
  const client: PoolClient = await pool.connect();
  try {
    const { rows } = await client.query<{ locked: boolean }>('SELECT pg_try_advisory_lock($1) AS locked', [
      buildLock,
    ]);
    return rows[0]?.locked === true ? await work() : null;
  } finally {
    // Closing the connection always releases the lock.
    client.release(true);
  }
}

interface VectorRow extends Omit<CompanyRow, 'name' | 'description' | 'keywords' | 'industry_label'> {
  readonly place: Buffer | null;
  readonly word_columns: Buffer | null;
  readonly word_weights: Buffer | null;
}

const selectVectors = `
  SELECT company.company_no, company.change_no, company.industry, company.company_size, company.revenue,
    company.company_type, company.country, kept.place, kept.word_columns, kept.word_weights
  FROM company LEFT JOIN lookalike_place AS kept
    ON kept.company_no = company.company_no AND kept.model_no = $1 AND kept.change_no = company.change_no`;

function companyWithVector(row: VectorRow): CompanyWithVector {
  const company = { companyNo: row.company_no, changeNo: Number(row.change_no) };
  if (row.place === null || row.word_columns === null || row.word_weights === null) {
    return { ...company, indexed: null };
  }
  const words = { columns: integersOf(row.word_columns), values: floatsOf(row.word_weights) };
  const vector = floatsOf(row.place);
  return { ...company, indexed: { companyNo: row.company_no, vector, words, facets: facetsOf(row) } };
}

async function readPieces(pool: Pool, modelNo: number, kind: string): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  for (;;) {
    const { rows } = await pool.query<{ content: Buffer }>(
      'SELECT content FROM lookalike_model_part WHERE model_no = $1 AND kind = $2 AND part_no = $3',
      [modelNo, kind, pieces.length],
    );
    if (rows[0] === undefined) {
      return pieces;
    }
    pieces.push(rows[0].content);
  }
}

async function writePieces(
  pool: Pool,
  modelNo: number,
  kind: string,
  pieces: readonly Buffer[],
): Promise<void> {
  for (const [partNo, content] of pieces.entries()) {
    await pool.query(
      'INSERT INTO lookalike_model_part (model_no, kind, part_no, content) VALUES ($1, $2, $3, $4)',
      [modelNo, kind, partNo, content],
    );
  }
}

/** Typed arrays as stored in Postgres: little-endian, like every processor that Node runs on. */
function bytesOf(numbers: Float32Array | Int32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

function floatsOf(bytes: Buffer): Float32Array {
  return new Float32Array(aligned(bytes));
}

function integersOf(bytes: Buffer): Int32Array {
  return new Int32Array(aligned(bytes));
}

/** Splits a buffer into pieces of at most `lengthMax` bytes. */
function piecesOf(bytes: Buffer, lengthMax: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += lengthMax) {
    pieces.push(bytes.subarray(start, start + lengthMax));
  }
  return pieces;
}

/** Copies the bytes, because the driver's result can begin at any offset of its buffer. */
function aligned(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
