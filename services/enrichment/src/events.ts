import type { Logger } from '@mailproof/service-kit';

/** What happens in this service, one function an event. */
export interface Events {
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
  lookalikeThreadLost(error: Error): void;
  lookalikeModelBegun(): void;
  lookalikeModelBuilt(result: { readonly outcome: string }, durationMs: number): void;
  lookalikeModelFailed(error: Error): void;
  lookalikeReadFailed(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
    lookalikeThreadLost: err => logger.error({ err }, 'lookalike thread lost'),
    lookalikeModelBegun: () => logger.info('lookalike model begun'),
    lookalikeModelBuilt: (result, durationMs) =>
      logger.info({ result, durationMs: Math.round(durationMs) }, 'lookalike model ended'),
    lookalikeModelFailed: err => logger.error({ err }, 'lookalike model failed'),
    lookalikeReadFailed: err => logger.warn({ err }, 'store not read for lookalikes'),
  };
}
