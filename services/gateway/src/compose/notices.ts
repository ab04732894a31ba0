import {
  type EventSource,
  type OperationClient,
  type Recurring,
  startRecurring,
  takeEvents,
} from '@mailproof/service-kit';
import { type OutboxJob, outboxJob } from '@mailproof/service-kit/jobs';
import {
  eventWaitMsMax,
  limits,
  sendNoticeJob,
  subscribedEventTypes,
  takeAllEvents,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createNoticeStore } from '../adapters/postgres/notice-store.ts';
import type { MailPort } from '../domain/mail-port.ts';
import { channelsFor, toldEventOf } from '../domain/notices/notice.ts';
import { sendNotice } from '../domain/notices/notice-mail.ts';
import type { Events } from '../events.ts';
import { noticeHandlers } from '../http/notices.ts';

interface NoticesOptions {
  readonly pool: Pool;
  readonly dispatcher: OperationClient;
  /** Absent if no mail host is configured. */
  readonly mail: MailPort | undefined;
  readonly noticeKey: Buffer;
  readonly publicBaseUrl: string;
  readonly events: Events;
  readonly now: () => Date;
}

/** What users are told: events of their account, taken over from the webhook dispatcher (ADR 0086). */
export interface Notices {
  readonly handlers: ReturnType<typeof noticeHandlers>;
  readonly jobs: readonly OutboxJob[];
  start(): void;
  close(): Promise<void>;
}

const mailsAtOnceMax = 5;
/** The pause after the dispatcher could not be asked for events, in milliseconds. */
const takeAgainMs = 1_000;
const takeMarginMs = 5_000;
const sweepEveryMs = 3_600_000;
const dayMs = 86_400_000;

export function composeNotices(options: NoticesOptions): Notices {
  const { pool, dispatcher, mail, noticeKey, publicBaseUrl, events, now } = options;
  const notices = createNoticeStore(pool);
  const stopping = new AbortController();
  const recurring: Recurring[] = [];
  const source: EventSource = {
    service: takeAllEvents.answeredBy,
    async take(stored, signal) {
      const body = { stored: [...stored], types: [...subscribedEventTypes] };
      const deadlineMs = eventWaitMsMax + takeMarginMs;
      const taken = await dispatcher.call(takeAllEvents, { params: {}, body }, { deadlineMs, signal });
      return taken.events;
    },
  };
  async function tell(recorded: Parameters<typeof toldEventOf>[0]): Promise<void> {
    const event = toldEventOf(recorded);
    if (event) {
      await notices.add(event, recipient => channelsFor(event, recipient, mail !== undefined), now());
    }
  }
  return {
    handlers: noticeHandlers({ notices, noticeKey, canMail: mail !== undefined, now }),
    jobs: mail
      ? [
          outboxJob(sendNoticeJob, mailsAtOnceMax, ({ userId, eventId }) =>
            sendNotice(
              {
                notices,
                mail,
                noticeKey,
                publicBaseUrl,
                onSent: events.mailSent,
                onRefused: events.mailRefused,
              },
              userId,
              eventId,
            ),
          ),
        ]
      : [],
    start() {
      recurring.push(
        startRecurring({
          everyMs: takeAgainMs,
          work: () => takeEvents(source, tell, stopping.signal),
          onFailed: error => stopping.signal.aborted || events.eventsNotTaken(error),
        }),
        startRecurring({
          everyMs: sweepEveryMs,
          work: () => notices.sweep(new Date(now().getTime() - limits.noticesKeptDays * dayMs)),
          onFailed: events.sweepFailed,
        }),
      );
    },
    async close() {
      stopping.abort();
      await Promise.all(recurring.map(each => each.close()));
    },
  };
}
