import { z } from 'zod';
import { eventId } from '../ids.ts';
import { eventData, type SubscribedEventType, subscribedEventTypes } from './event.ts';

/** How a user is told of events of one type. */
export const noticeChannels = z
  .strictObject({
    in_app: z.boolean().describe('In the application.'),
    mail: z.boolean().describe('By mail to the user’s address.'),
  })
  .meta({ id: 'NoticeChannels' });

export type NoticeChannels = z.output<typeof noticeChannels>;

/** The setting of each type, as long as a user does not change it (ADR 0086). */
export const noticeDefaults: Readonly<Record<SubscribedEventType, NoticeChannels>> = {
  'validation_job.finished': { in_app: true, mail: true },
  'validation_job.needs_credits': { in_app: true, mail: true },
  'export.finished': { in_app: true, mail: false },
  'discovery_run.finished': { in_app: true, mail: false },
  'crm_import.finished': { in_app: true, mail: true },
  'people_import.finished': { in_app: true, mail: false },
  'credits.low': { in_app: true, mail: true },
};

/** A notice is mailed only if its work took at least so long, in seconds. The data of events with a duration has it. */
export const mailedFromSeconds = 300;

/** A notice of one type: an event, as one user sees it. */
function noticeOf<Type extends SubscribedEventType>(type: Type) {
  return z.object({
    event_id: eventId,
    type: z.literal(type),
    happened_at: z.iso.datetime(),
    read: z.boolean(),
    data: eventData[type],
  });
}

export const notice = z
  .discriminatedUnion('type', [
    noticeOf('validation_job.finished'),
    noticeOf('validation_job.needs_credits'),
    noticeOf('export.finished'),
    noticeOf('discovery_run.finished'),
    noticeOf('crm_import.finished'),
    noticeOf('people_import.finished'),
    noticeOf('credits.low'),
  ])
  .meta({ id: 'Notice' });

export type Notice = z.output<typeof notice>;

const channelsByType = Object.fromEntries(subscribedEventTypes.map(type => [type, noticeChannels])) as {
  readonly [Type in SubscribedEventType]: typeof noticeChannels;
};

/** The settings of a user: each type with its channels. */
export const noticeSettings = z
  .strictObject(channelsByType)
  .describe('How the user is told of each type of event.');
