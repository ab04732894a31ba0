import type { RunEvents } from '@mailproof/durable-work';
import { createCounter, type Logger } from '@mailproof/service-kit';
import type { AccountId, HoldId } from '@mailproof/shared-types';
import type { Run } from './domain/discovery/run.ts';
import type { PeopleImport } from './domain/people-import/people-import.ts';
import { type ProfileSource, SourceFailure } from './domain/profile-enrichment/profile-source.ts';

/** The events of this service, one function each. */
export interface Events extends RunEvents<Run> {
  /** Runs had lost their jobs and were given new ones. */
  runsSwept(runs: number): void;
  runSweepFailed(error: unknown): void;
  /** A preview was shown, but its hold expired before it could be settled. */
  previewUnpaid(holdId: HoldId, credits: number): void;
  accountForgotten(accountId: AccountId, deleted: number): void;
  lookalikeThreadLost(error: Error): void;
  lookalikeModelStarted(): void;
  lookalikeModelBuilt(result: { readonly outcome: string }, durationMs: number): void;
  lookalikeModelFailed(error: Error): void;
  lookalikeReadFailed(error: Error): void;
  /** `records` says which index: that of people or that of companies. */
  peopleIndexLoaded(people: number, durationMs: number, records: string): void;
  peopleIndexCrashed(error: Error, records: string): void;
  peopleIndexReadFailed(error: Error, records: string): void;
  peopleIndexFull(peopleMax: number, records: string): void;
  searchEngineLoaded(people: number, durationMs: number): void;
  searchEngineFailed(error: Error): void;
  searchFeedFailed(error: Error): void;
  profileLookedUp(accountId: AccountId, outcome: string): void;
  profileSourceFailed(source: ProfileSource['name'], accountId: AccountId, error: unknown): void;
  profileSweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
  /** A person was suppressed, which deleted this many records. */
  personSuppressed(deleted: number): void;
  retentionSwept(deleted: number): void;
  retentionSweepFailed(error: unknown): void;
  nameKeysFailed(error: unknown): void;
  peopleImportEnded(record: PeopleImport): void;
  /** Imports had lost their jobs and were given new ones. */
  peopleImportsSwept(imports: number): void;
  peopleImportSweepFailed(error: unknown): void;
}

export function createEvents(logger: Logger): Events {
  const countRun = createCounter('mailproof.discovery.runs', 'Ended runs, by kind and state.');
  const countImport = createCounter(
    'mailproof.people_imports.ended',
    'Ended imports of own people, by state.',
  );
  const countUnpaid = createCounter(
    'mailproof.runs.unpaid',
    'Credits for delivered results that could not be charged.',
  );
  const countLostHold = createCounter('mailproof.discovery.holds_lost', 'Replaced holds of runs.');
  return {
    runStarted: ({ runId, accountId, kind, requested }) =>
      logger.info({ runId, accountId, kind, requested }, 'run started'),
    runHoldLost({ runId, accountId, holds }) {
      countLostHold();
      logger.warn({ runId, accountId, holds }, 'run lost its hold; requesting another');
    },
    runEnded({ runId, accountId, kind, ending, delivered, failure }, spent) {
      countRun({ kind, state: ending ?? 'succeeded' });
      logger.info({ runId, accountId, kind, state: ending, delivered, failure, spent }, 'run ended');
    },
    runUnpaid({ runId, accountId }, credits) {
      countUnpaid({}, credits);
      logger.error({ runId, accountId, credits }, 'settlement failed');
    },
    runsSwept: runs => logger.warn({ runs }, 're-enqueued orphaned runs'),
    runSweepFailed: err => logger.error({ err }, 'search for orphaned runs failed'),
    previewUnpaid: (holdId, credits) => logger.error({ holdId, credits }, 'a preview could not be charged'),
    accountForgotten: (accountId, deleted) => logger.info({ accountId, deleted }, 'account forgotten'),
    lookalikeThreadLost: err => logger.error({ err }, 'lookalike thread lost'),
    lookalikeModelStarted: () => logger.info('lookalike model started'),
    lookalikeModelBuilt: (result, durationMs) =>
      logger.info({ result, durationMs: Math.round(durationMs) }, 'lookalike model ended'),
    lookalikeModelFailed: err => logger.error({ err }, 'lookalike model failed'),
    lookalikeReadFailed: err => logger.warn({ err }, 'lookalikes could not read the store'),
    peopleIndexLoaded: (loaded, durationMs, records) =>
      logger.info({ [records]: loaded, durationMs: Math.round(durationMs) }, `${records} index loaded`),
    peopleIndexCrashed: (err, records) => logger.error({ err }, `${records} index crashed and is restarting`),
    peopleIndexReadFailed: (err, records) =>
      logger.warn({ err }, `${records} index could not read the store`),
    peopleIndexFull: (peopleMax, records) =>
      logger.error(
        { peopleMax },
        `${records} index is full: ${records} beyond PEOPLE_INDEX_PEOPLE_MAX are not found until it is raised`,
      ),
    searchEngineLoaded: (people, durationMs) =>
      logger.info({ people, durationMs: Math.round(durationMs) }, 'search engine answers'),
    searchEngineFailed: err => logger.warn({ err }, 'search engine failed'),
    searchFeedFailed: err => logger.warn({ err }, 'search engine could not be fed'),
    profileLookedUp: (accountId, outcome) => logger.info({ accountId, outcome }, 'profile looked up'),
    // Log only the reason: messages of a source or its host can name the profile.
    profileSourceFailed: (source, accountId, error) =>
      logger.warn(
        { source, accountId, reason: error instanceof SourceFailure ? error.reason : nameOf(error) },
        'profile source failed',
      ),
    profileSweepFailed: err => logger.warn({ err }, 'cached profiles could not be swept'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
    personSuppressed: deleted => logger.info({ deleted }, 'person suppressed'),
    retentionSwept: deleted => logger.info({ deleted }, 'expired people deleted'),
    retentionSweepFailed: err => logger.error({ err }, 'retention sweep failed'),
    nameKeysFailed: err => logger.warn({ err }, 'keys of names could not be written'),
    peopleImportEnded({ importId, accountId, state, rowsDone, failure, outcomes }) {
      countImport({ state });
      const { added, changed, unchanged } = outcomes;
      logger.info(
        { importId, accountId, state, rowsDone, failure, added, changed, unchanged },
        'people import ended',
      );
    },
    peopleImportsSwept: imports => logger.warn({ imports }, 're-enqueued orphaned people imports'),
    peopleImportSweepFailed: err => logger.error({ err }, 'search for orphaned people imports failed'),
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
