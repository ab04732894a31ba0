import type { Logger } from '@mailproof/service-kit';

/** What happens in this service, one function an event. */
export interface Events {
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
  peopleIndexLoaded(people: number, durationMs: number): void;
  peopleIndexCrashed(error: Error): void;
  peopleIndexReadFailed(error: Error): void;
  peopleIndexFull(peopleMax: number): void;
}

export function createEvents(logger: Logger): Events {
  return {
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
    peopleIndexLoaded: (people, durationMs) =>
      logger.info({ people, durationMs: Math.round(durationMs) }, 'people index loaded'),
    peopleIndexCrashed: err => logger.error({ err }, 'people index crashed and is started again'),
    peopleIndexReadFailed: err => logger.warn({ err }, 'people index could not read the store'),
    peopleIndexFull: peopleMax =>
      logger.error(
        { peopleMax },
        'people index is full: people beyond PEOPLE_INDEX_PEOPLE_MAX are not found until it is raised',
      ),
  };
}
