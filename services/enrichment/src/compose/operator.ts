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
      const url = config.SEARCH_ENGINE_URL;
      if (url === undefined) {
        throw new OperatorError(
          'People are searched in memory, which each start loads again; set SEARCH_ENGINE_URL.',
        );
      }
      const { rebuildSearchEngineIndex } = await import('./search-engine.ts');
      return rebuildSearchEngineIndex(config, url, onProgress, signal);
    },
    close,
  };
}
