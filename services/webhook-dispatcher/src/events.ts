import { createCounter, type Logger } from '@mailproof/service-kit';
import type { PushEvents } from './domain/push/push-events.ts';

/** What happens in this service, one function an event. No destination, key or address is ever told. */
export interface Events extends PushEvents {
  databaseConnectionLost(error: Error): void;
  redisConnectionLost(error: Error): void;
}

export function createEvents(logger: Logger): Events {
  return {
    ...pushEvents(logger),
    databaseConnectionLost: err => logger.warn({ err }, 'database connection lost'),
    redisConnectionLost: err => logger.warn({ err }, 'Redis connection lost'),
  };
}

function pushEvents(logger: Logger): PushEvents {
  const countRows = createCounter('mailproof.push.rows', 'Rows that were sent, by what became of them.');
  const countThrottled = createCounter(
    'mailproof.push.throttled',
    'Answers of receivers that asked a push to wait.',
  );
  const countPaused = createCounter(
    'mailproof.push.paused_seconds',
    'Seconds for which pushes were paused, by reason.',
  );
  return {
    batchPushed({ exportId }, { rows, throttled, pace }) {
      for (const [outcome, count] of Object.entries(rows)) {
        countRows({ outcome }, count);
      }
      countThrottled({}, throttled);
      logger.debug({ exportId, rows, throttled, pace }, 'rows pushed');
    },
    pushPaused({ exportId }, reason, pausedMs) {
      countPaused({ reason }, pausedMs / 1_000);
      logger.info({ exportId, reason, pausedMs }, 'push paused');
    },
    destinationNotOpened: (exportId, kind) =>
      logger.error({ exportId, kind }, 'destination of a push cannot be opened'),
  };
}
