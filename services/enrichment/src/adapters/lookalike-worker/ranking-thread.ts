import { parentPort, workerData } from 'node:worker_threads';
import { companiesMin } from '../../domain/lookalike/build-model.ts';
import { LookalikeFault } from '../../domain/lookalike/lookalike-ranking.ts';
import { FollowedModel } from './followed-model.ts';
import { describedCompanies, type ModelRow, newestModel } from './model-store.ts';
import { openThreadDatabase } from './open-thread-database.ts';
import type { FollowedState, FromRanking, RankingSettings, ToRanking } from './thread-messages.ts';
import { VectorPlaces } from './vector-places.ts';

/** In so many companies `auto` leaves the places to Postgres: they would be 200 MB in every replica. */
const vectorsFrom = 200_000;

/** Vectors of an older model are kept for as long as a replica may take to load the new one. */
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
    // One after the other: those that wait shall not wait for a connection, which has a deadline of its own.
    turn = turn.then(() => rank(message));
  } else if (message.kind === 'refresh') {
    followSoon();
  } else {
    void stop();
  }
});
followSoon();

async function rank({ id, question, deadlineAtMs }: Extract<ToRanking, { kind: 'rank' }>): Promise<void> {
  try {
    if (followed === null) {
      // A thread that has just begun may find a model at its first look.
      await following;
    }
    await followed?.forget();
    if (followed === null) {
      throw new LookalikeFault(
        'not_ready',
        `No model of lookalikes stands yet: the first is built as soon as ${companiesMin} companies are described in words.`,
      );
    }
    if (Date.now() > deadlineAtMs) {
      throw new LookalikeFault('no_answer', 'The question waited for too long.');
    }
    tell({ kind: 'answer', id, answer: await followed.answer(question) });
  } catch (error) {
    const code =
      error instanceof LookalikeFault ? error.code : error instanceof RangeError ? 'out_of_bounds' : 'failed';
    tell({ kind: 'refused', id, code, message: (error as Error).message });
  }
}

/** Looks at the store now, or once more after the look that goes on. */
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
    // The old model answers until the new one is whole.
    followed = (await FollowedModel.load(database, newest, await vectorsFor(newest))) ?? followed;
    tell({ kind: 'followed', ...(await outcome()) });
  }
  // A new model places everybody at once; until it stands only some are placed one by one.
  const placedMax = Math.ceil((followed?.row.companies ?? 0) * settings.rebuildShare);
  await followed?.refresh(placedMax, stopping.signal);
  await followed?.forgetOldVectors(Date.now() - oldVectorsKeptMs);
  tell({ kind: 'followed', ...(await outcome()) });
}

/** Where the places of a model are kept; null stands for the memory of this thread. */
async function vectorsFor({ companies }: ModelRow): Promise<VectorPlaces | null> {
  if (settings.vectors === 'memory' || (settings.vectors === 'auto' && companies < vectorsFrom)) {
    return null;
  }
  const vectors = await VectorPlaces.open(database);
  if (vectors === null && settings.vectors === 'postgres') {
    throw new Error(
      'LOOKALIKE_VECTORS is postgres, and the extension vector is not in the schema enrichment.',
    );
  }
  return vectors;
}

async function outcome(): Promise<{ state: FollowedState; isBuildDue: boolean }> {
  if (followed === null) {
    const described = await describedCompanies(database);
    return { state: { state: 'none', described }, isBuildDue: described >= companiesMin };
  }
  const { row, ranking, changed } = followed;
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
    isBuildDue: changed > row.companies * settings.rebuildShare,
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
