import { onlyRow, type RowOf } from '@mailproof/service-kit/sql';
import type { Pool, PoolClient } from 'pg';
import type { LookalikeModel, StoredCompany } from '../../domain/lookalike/build-model.ts';
import type { Calibration } from '../../domain/lookalike/calibration.ts';
import type { IndexedCompany } from '../../domain/lookalike/company-index.ts';
import { companiesMin } from '../../domain/lookalike/lookalike-ranking.ts';
import type { SparseRow } from '../../domain/lookalike/sparse-rows.ts';
import { termSpaceOf } from '../../domain/lookalike/term-space.ts';
import { sql } from './lookalike-model.sql.ts';
import type { Followed } from './threads.ts';

/** Incremented whenever texts are read or weighted differently, so that no code reads a model of another format. */
const format = 1;

const pieceBytesMax = 4_194_304;
const termsPerPiece = 10_000;
const companiesPerPage = 1_000;
const removalsMax = 100_000;

/** The key of the advisory lock that lets only one replica build at a time; the number is arbitrary. */
const buildLock = 732_650_301;

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
  const { rows } = await sql.newest_model(pool, { format });
  const [row] = rows;
  return row === undefined
    ? null
    : {
        modelNo: row.model_no,
        changeNo: Number(row.change_no),
        companies: row.companies,
        terms: row.terms,
        dimensions: row.dimensions,
        builtAt: row.built_at,
      };
}

/** Returns null if the model has been replaced. */
export async function readModel(pool: Pool, modelNo: number): Promise<LookalikeModel | null> {
  const { rows } = await sql.find_model(pool, { model_no: modelNo });
  const [row] = rows;
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
  return { space, dimensions: row.dimensions, projection, calibration: row.calibration as Calibration };
}

/** Inserts a model that stays invisible until it is finished. Removes what an earlier build left unfinished. */
export async function beginModel(
  pool: Pool,
  model: LookalikeModel,
  { changeNo, companies }: { changeNo: number; companies: number },
): Promise<number> {
  const { space, dimensions, projection, calibration } = model;
  await sql.delete_unfinished_models(pool, {});
  const { model_no: modelNo } = await onlyRow(
    sql.insert_model(pool, {
      format,
      change_no: changeNo,
      companies,
      terms: space.stems.length,
      dimensions,
      mean_length: space.meanLength,
      calibration: JSON.stringify(calibration),
    }),
  );
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
  await sql.publish_model(pool, { model_no: modelNo });
  // Delete vectors first, in batches, so that no statement exceeds its timeout.
  for (let removed = 1; removed > 0; ) {
    const { rowCount } = await sql.delete_vectors_before(pool, { model_no: modelNo, rows_max: 20_000 });
    removed = rowCount ?? 0;
  }
  await sql.delete_models_before(pool, { model_no: modelNo });
}

/** Stores the vectors of companies that still exist; of two vectors of one company, that of the later change wins. */
export async function keepVectors(
  pool: Pool,
  modelNo: number,
  vectors: readonly KeptVector[],
): Promise<void> {
  await sql.keep_vectors(pool, {
    model_no: modelNo,
    company_nos: vectors.map(({ companyNo }) => companyNo),
    change_nos: vectors.map(({ changeNo }) => changeNo),
    vectors: vectors.map(({ vector }) => bytesOf(vector)),
    word_columns: vectors.map(({ words }) => bytesOf(words.columns)),
    word_weights: vectors.map(({ words }) => bytesOf(words.values)),
  });
}

/** Returns a page of companies after a company number, in order, with their vectors if these are current. */
export async function vectorsAfter(
  pool: Pool,
  modelNo: number,
  companyNo: number,
): Promise<CompanyWithVector[]> {
  const values = { model_no: modelNo, company_no: companyNo, rows_max: companiesPerPage };
  const { rows } = await sql.vectors_after(pool, values);
  return rows.map(companyWithVector);
}

export async function vectorsOf(
  pool: Pool,
  modelNo: number,
  companyNos: readonly number[],
): Promise<CompanyWithVector[]> {
  const { rows } = await sql.vectors_of(pool, { model_no: modelNo, company_nos: companyNos });
  return rows.map(companyWithVector);
}

/** Returns a page of companies after a company number, in order, as input for a model. */
export async function companiesAfter(
  pool: Pool,
  companyNo: number,
): Promise<{ changeNo: number; company: StoredCompany }[]> {
  const { rows } = await sql.companies_after(pool, { company_no: companyNo, rows_max: companiesPerPage });
  return rows.map(row => ({ changeNo: Number(row.change_no), company: companyOf(row) }));
}

export async function companiesOf(
  pool: Pool,
  companyNos: readonly number[],
): Promise<{ changeNo: number; company: StoredCompany }[]> {
  const { rows } = await sql.companies_of(pool, { company_nos: companyNos });
  return rows.map(row => ({ changeNo: Number(row.change_no), company: companyOf(row) }));
}

/** Returns companies changed after a change number, in order, at most `countMax`. */
export async function changesAfter(
  pool: Pool,
  changeNo: number,
  countMax: number,
): Promise<{ companyNo: number; changeNo: number }[]> {
  const { rows } = await sql.changes_after(pool, { change_no: changeNo, rows_max: countMax });
  return rows.map(row => ({ companyNo: row.company_no, changeNo: Number(row.change_no) }));
}

/** Returns companies removed after a change. */
export async function removalsAfter(pool: Pool, changeNo: number): Promise<number[]> {
  const { rows } = await sql.removals_after(pool, { change_no: changeNo, rows_max: removalsMax });
  return rows.map(row => row.company_no);
}

/** Returns the last change number assigned, whether visible or not. */
export async function lastChange(pool: Pool): Promise<number> {
  return (await onlyRow(sql.last_change(pool, {}))).last;
}

/** Returns the state without a model: how many companies have a description or keywords, up to what a model needs. */
export async function withoutModel(pool: Pool): Promise<Followed> {
  const { count: described } = await onlyRow(sql.count_described(pool, { companies_max: companiesMin }));
  return { state: { state: 'none', described }, isBuildDue: described >= companiesMin };
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

type CompanyRow = RowOf<typeof sql.companies_of>;

function companyOf(row: CompanyRow): StoredCompany {
  const label = row.industry ?? row.industry_label;
  const labels = [row.industry, row.industry_label].map(text => text?.toLowerCase());
  return {
    companyNo: row.company_no,
    name: row.name,
    description: row.description,
    // Some sources repeat the industry among the keywords. It is used to measure strengths, so it must not affect the
    // ranking.
    keywords: row.keywords.filter(keyword => !labels.includes(keyword.toLowerCase())),
    facets: facetsOf(row),
    // Made-up companies of an industry describe themselves alike: strengths fitted to them would be too high.
    industryLabel: row.is_synthetic ? null : label,
  };
}

function facetsOf(
  row: Pick<CompanyRow, 'industry' | 'company_size' | 'revenue' | 'company_type' | 'country'>,
): StoredCompany['facets'] {
  return {
    industry: row.industry,
    companySize: row.company_size,
    revenue: row.revenue,
    companyType: row.company_type,
    country: row.country,
  };
}

function companyWithVector(row: RowOf<typeof sql.vectors_of>): CompanyWithVector {
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
    const { rows } = await sql.find_part(pool, { model_no: modelNo, kind, part_no: pieces.length });
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
    await sql.insert_part(pool, { model_no: modelNo, kind, part_no: partNo, content });
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
