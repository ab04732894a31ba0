import type { Logger } from '@mailproof/service-kit';

/** What happens in this service, one function an event. */
export interface Events {
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    databaseConnectionLost(error) {
      logger.warn({ err: error }, 'database connection lost');
    },
    redisConnectionLost(error) {
      logger.warn({ err: error }, 'redis connection failed');
    },
  };
}
