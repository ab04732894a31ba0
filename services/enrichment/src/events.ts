import type { Logger } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import { type ProfileSource, SourceFailure } from './domain/profile-enrichment/profile-source.ts';

/** What happens in this service, one function an event. */
export interface Events {
  profileLookedUp(accountId: AccountId, outcome: string): void;
  profileSourceFailed(source: ProfileSource['name'], accountId: AccountId, error: unknown): void;
  profileSweepFailed(error: unknown): void;
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
  lookalikeThreadLost(error: Error): void;
  lookalikeModelBegun(): void;
  lookalikeModelBuilt(result: { readonly outcome: string }, durationMs: number): void;
  lookalikeModelFailed(error: Error): void;
  lookalikeReadFailed(error: Error): void;
  /** Somebody asked to be left out; how many records that deleted. */
  personSuppressed(deleted: number): void;
  retentionSwept(deleted: number): void;
  retentionSweepFailed(error: unknown): void;
}

export function createEvents(logger: Logger): Events {
  return {
    profileLookedUp: (accountId, outcome) => logger.info({ accountId, outcome }, 'profile looked up'),
    // The reason alone: what a source or its host says can name the profile.
    profileSourceFailed: (source, accountId, error) =>
      logger.warn(
        { source, accountId, reason: error instanceof SourceFailure ? error.reason : nameOf(error) },
        'source of profiles failed',
      ),
    profileSweepFailed: err => logger.warn({ err }, 'remembered profiles could not be swept'),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
    lookalikeThreadLost: err => logger.error({ err }, 'lookalike thread lost'),
    lookalikeModelBegun: () => logger.info('lookalike model begun'),
    lookalikeModelBuilt: (result, durationMs) =>
      logger.info({ result, durationMs: Math.round(durationMs) }, 'lookalike model ended'),
    lookalikeModelFailed: err => logger.error({ err }, 'lookalike model failed'),
    lookalikeReadFailed: err => logger.warn({ err }, 'store not read for lookalikes'),
    personSuppressed: deleted => logger.info({ deleted }, 'person suppressed'),
    retentionSwept: deleted => logger.info({ deleted }, 'people deleted whose time was over'),
    retentionSweepFailed: err => logger.error({ err }, 'retention sweep failed'),
  };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'unknown';
}
