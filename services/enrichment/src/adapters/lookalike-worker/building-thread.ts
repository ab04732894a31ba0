import { parentPort, workerData } from 'node:worker_threads';
import type { Pool } from 'pg';
import { ModelBuilder } from '../../domain/lookalike/build-model.ts';
import type { CompanyIndex } from '../../domain/lookalike/company-index.ts';
import { companiesMin } from '../../domain/lookalike/lookalike-ranking.ts';
import {
  beginModel,
  companiesAfter,
  finishModel,
  keepVectors,
  lastChange,
  newestModel,
  withBuildLock,
} from './model-store.ts';
import { type BuildResult, type BuildSettings, type FromBuilding, openThreadDatabase } from './threads.ts';

/** The number of vectors that one statement writes. */
const vectorsPerStatement = 1_000;
/** The progress at the end of each part of the work, as a share of the whole. */
const readShare = 0.1;
const computedShare = 0.9;

const settings = workerData as BuildSettings;
const database = openThreadDatabase(settings.databaseUrl, 'lookalike-build');
try {
  const result = await withBuildLock(database, () => build(database));
  tell({ kind: 'ended', result: result ?? { outcome: 'left_to_another' } });
} finally {
  await database.end();
}

async function build(pool: Pool): Promise<BuildResult> {
  const standing = await newestModel(pool);
  if (standing !== null && standing.modelNo !== settings.replaces) {
    return { outcome: 'left_to_another' };
  }
  const changeNo = await lastChange(pool);
  const builder = new ModelBuilder();
  const changes = new Map<number, number>();
  for (let last = 0; ; ) {
    const page = await companiesAfter(pool, last);
    for (const { company, changeNo: change } of page) {
      if (builder.add(company)) {
        changes.set(company.companyNo, change);
      }
    }
    const next = page.at(-1)?.company.companyNo;
    if (next === undefined) {
      break;
    }
    last = next;
    tell({ kind: 'progress', done: 0 });
  }
  if (builder.companies < companiesMin) {
    return { outcome: 'too_few_companies', companies: builder.companies };
  }
  const { model, index } = builder.finish(done =>
    tell({ kind: 'progress', done: readShare + (computedShare - readShare) * done }),
  );
  const modelNo = await beginModel(pool, model, { changeNo, companies: index.companies });
  await writeVectors(pool, modelNo, index, changes);
  await finishModel(pool, modelNo);
  return { outcome: 'built', modelNo, companies: index.companies, terms: model.space.stems.length };
}

async function writeVectors(
  pool: Pool,
  modelNo: number,
  index: CompanyIndex,
  changes: ReadonlyMap<number, number>,
): Promise<void> {
  for (let start = 0; start < index.length; start += vectorsPerStatement) {
    const rows = Array.from(
      { length: Math.min(vectorsPerStatement, index.length - start) },
      (_, at) => start + at,
    );
    await keepVectors(
      pool,
      modelNo,
      rows.map(row => {
        const companyNo = index.companyNoAt(row);
        const changeNo = changes.get(companyNo) ?? 0;
        return { companyNo, changeNo, vector: index.vectorAt(row), words: index.words.row(row) };
      }),
    );
    tell({ kind: 'progress', done: computedShare + (1 - computedShare) * (start / index.length) });
  }
}

function tell(message: FromBuilding): void {
  parentPort?.postMessage(message);
}
