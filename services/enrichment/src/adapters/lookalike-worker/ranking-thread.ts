import { parentPort, workerData } from 'node:worker_threads';
import { companiesMin } from '../../domain/lookalike/build-model.ts';
import { LookalikeFault } from '../../domain/lookalike/lookalike-ranking.ts';
import { rankCompanies } from '../../domain/lookalike/rank-companies.ts';
import { FollowedModel } from './followed-model.ts';
import { describedCompanies, newestModel } from './model-store.ts';
import { openThreadDatabase } from './open-thread-database.ts';
import type { FollowedState, FromRanking, RankingSettings, ToRanking } from './thread-messages.ts';

const settings = workerData as RankingSettings;
const database = openThreadDatabase(settings.databaseUrl, 'lookalikes');
const stopping = new AbortController();
let followed: FollowedModel | null = null;
let timer: NodeJS.Timeout | undefined;
let following: Promise<void> = Promise.resolve();
let isAskedAgain = false;
let isFollowing = false;

parentPort?.on('message', (message: ToRanking) => {
  if (message.kind === 'rank') {
    void rank(message);
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
    tell({ kind: 'answer', id, answer: rankCompanies(followed.ranking, question) });
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
    followed = (await FollowedModel.load(database, newest)) ?? followed;
    tell({ kind: 'followed', ...(await outcome()) });
  }
  // A new model places everybody at once; until it stands only some are placed one by one.
  const placedMax = Math.ceil((followed?.row.companies ?? 0) * settings.rebuildShare);
  await followed?.refresh(placedMax, stopping.signal);
  tell({ kind: 'followed', ...(await outcome()) });
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
