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
    close,
  };
}
