import { OperatorError } from '@mailproof/service-kit/operator-command';
import { openTableFile } from '../adapters/files/open-table-file.ts';
import { openDatabase } from '../adapters/postgres/open.ts';
import { createSubjects } from '../adapters/postgres/privacy/subjects.ts';
import { createImportRuns } from '../adapters/postgres/profile-store/import-runs.ts';
import { createProfileStore } from '../adapters/postgres/profile-store/profile-store.ts';
import type { OperatorConfig } from '../config.ts';
import type { ImportRuns } from '../domain/import/import-file.ts';
import type { Subjects } from '../domain/privacy/subjects.ts';
import type { ProfileStore } from '../domain/profile-store/profile-store.ts';
import { type LookalikeOperator, lookalikeOperator } from './lookalikes.ts';
import { subjectTraces } from './privacy.ts';
import type { readSearchEngineStatus } from './search-engine.ts';

export { openTableFile };

/** The dependencies of the operator's commands. */
export interface Operator {
  readonly store: ProfileStore;
  readonly runs: ImportRuns;
  readonly subjects: Subjects;
  readonly lookalikes: LookalikeOperator;
  /** Throws if people are searched in memory. Returns undefined if another process is filling an index. */
  rebuildPeopleIndex(
    onProgress: (people: number, peopleExpected: number) => void,
    signal: AbortSignal,
  ): Promise<number | undefined>;
  /** Throws if people are searched in memory. */
  readPeopleIndex(): ReturnType<typeof readSearchEngineStatus>;
  close(): Promise<void>;
}

export function composeOperator(config: OperatorConfig): Operator {
  const { pool, close } = openDatabase({
    url: config.DATABASE_URL,
    connectionsMax: 2,
    onIdleError: () => undefined,
  });
  const suppressionKey = config.SUPPRESSION_HASH_KEY;
  const retentionDays = config.PEOPLE_RETENTION_DAYS;
  return {
    store: createProfileStore(pool, { suppressionKey, retentionDays }),
    runs: createImportRuns(pool, { suppressionKey, retentionDays }),
    subjects: createSubjects(pool, { suppressionKey, retentionDays, traces: subjectTraces }),
    lookalikes: lookalikeOperator(pool, config.DATABASE_URL),
    async rebuildPeopleIndex(onProgress, signal) {
      const { rebuildSearchEngineIndex } = await import('./search-engine.ts');
      return explained(rebuildSearchEngineIndex(config, engineUrlOf(config), onProgress, signal));
    },
    async readPeopleIndex() {
      const { readSearchEngineStatus } = await import('./search-engine.ts');
      return explained(readSearchEngineStatus(config, engineUrlOf(config), pool));
    },
    close,
  };
}

function engineUrlOf({ SEARCH_ENGINE_URL: url }: OperatorConfig): string {
  if (url === undefined) {
    throw new OperatorError(
      'People are searched in memory, which each start loads again; set SEARCH_ENGINE_URL.',
    );
  }
  return url;
}

/** A failure of the search engine is told by its sentence. Its class is loaded only with the engine's client. */
async function explained<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof Error && error.name === 'EngineFailure' ? new OperatorError(error.message) : error;
  }
}
