import type { Logger } from '@mailproof/service-kit';

/** What happens in this service, one function an event. No destination, key or address is ever told. */
export interface Events {
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
  };
}
