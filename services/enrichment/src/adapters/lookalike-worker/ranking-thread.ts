import { parentPort, workerData } from 'node:worker_threads';
import { collectGarbageOfStart } from '@mailproof/service-kit/collect-garbage';
import { LookalikeFault } from '../../domain/lookalike/lookalike-ranking.ts';
import { FollowedModel } from './followed-model.ts';
import { type ModelRow, newestModel, withoutModel } from './model-store.ts';
import { PostgresVectors } from './postgres-vectors.ts';
import {
  type Followed,
  type FromRanking,
  noModelYet,
  openThreadDatabase,
  type RankingSettings,
  type ToRanking,
} from './threads.ts';

/** The number of companies from which `auto` stores vectors in Postgres: they would take 200 MB in every replica. */
const vectorsFrom = 200_000;

/** How long vectors of an older model are kept: a replica may take this long to load the new one. */
const oldVectorsKeptMs = 3_600_000;

const settings = workerData as RankingSettings;
const database = openThreadDatabase(settings.databaseUrl, 'lookalikes');
const stopping = new AbortController();
let followed: FollowedModel | null = null;
let timer: NodeJS.Timeout | undefined;
let following: Promise<void> = Promise.resolve();
let turn: Promise<void> = Promise.resolve();
let isAskedAgain = false;
let isFollowing = false;

parentPort?.on('message', (message: ToRanking) => {
  if (message.kind === 'rank') {
    // One at a time: waiting questions must not wait for a connection, which has its own timeout.
    turn = turn.then(() => rank(message));
  } else if (message.kind === 'refresh') {
    followSoon();
  } else {
    void stop();
  }
});
followSoon();
await following;
collectGarbageOfStart();

async function rank({ id, question, deadlineAtMs }: Extract<ToRanking, { kind: 'rank' }>): Promise<void> {
  try {
    if (followed === null) {
      // The first poll of a new thread may find a model.
      await following;
    }
    await followed?.forget();
    if (followed === null) {
      throw new LookalikeFault('not_ready', noModelYet);
    }
    if (Date.now() > deadlineAtMs) {
      throw new LookalikeFault('no_answer', 'The request waited too long.');
    }
    tell({ kind: 'answer', id, answer: await followed.answer(question, deadlineAtMs) });
  } catch (error) {
    const code =
      error instanceof LookalikeFault ? error.code : error instanceof RangeError ? 'out_of_bounds' : 'failed';
    tell({ kind: 'refused', id, code, message: (error as Error).message });
  }
}

/** Polls the store now, or again after the running poll. */
function followSoon(): void {
  if (isFollowing) {
    isAskedAgain = true;
    return;
  }
  clearTimeout(timer);
  isFollowing = true;
  following = follow()
    .catch((error: Error) => tell({ kind: 'read_failed', error }))
    .then(() => {
      isFollowing = false;
      if (!stopping.signal.aborted) {
        timer = setTimeout(followSoon, isAskedAgain ? 0 : settings.refreshIntervalMs);
        isAskedAgain = false;
      }
    });
}

async function follow(): Promise<void> {
  const newest = await newestModel(database);
  if (newest !== null && newest.modelNo !== followed?.row.modelNo) {
    // The old model answers until the new one is complete.
    followed = (await FollowedModel.load(database, newest, await vectorsFor(newest))) ?? followed;
    tell({ kind: 'followed', ...(await outcome()) });
  }
  // A new model computes all vectors at once; until it is built, only some are computed individually.
  const computedMax = Math.ceil((followed?.row.companies ?? 0) * settings.rebuildShare);
  await followed?.refresh(computedMax, stopping.signal);
  await followed?.forgetOldVectors(Date.now() - oldVectorsKeptMs);
  tell({ kind: 'followed', ...(await outcome()) });
}

/** Returns where the vectors of a model are stored; null means in the memory of this thread. */
async function vectorsFor({ companies }: ModelRow): Promise<PostgresVectors | null> {
  if (settings.vectors === 'memory' || (settings.vectors === 'auto' && companies < vectorsFrom)) {
    return null;
  }
  const vectors = await PostgresVectors.open(database);
  if (vectors === null && settings.vectors === 'postgres') {
    throw new Error(
      'LOOKALIKE_VECTORS is postgres, and the extension vector is not in the schema enrichment.',
    );
  }
  return vectors;
}

async function outcome(): Promise<Followed> {
  if (followed === null) {
    return withoutModel(database);
  }
  const { row, ranking } = followed;
  return {
    state: {
      state: 'ready',
      modelNo: row.modelNo,
      companies: ranking.index.companies,
      terms: row.terms,
      dimensions: row.dimensions,
      builtAt: row.builtAt,
      calibration: ranking.calibration.source,
    },
    isBuildDue: followed.isBuildDue(settings.rebuildShare),
  };
}

async function stop(): Promise<void> {
  stopping.abort();
  clearTimeout(timer);
  await following;
  await database.end();
  parentPort?.close();
}

function tell(message: FromRanking): void {
  parentPort?.postMessage(message);
}
