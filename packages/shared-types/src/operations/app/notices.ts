import { z } from 'zod';
import { defineOperation } from '../../define-operation.ts';
import { mailedFromSeconds, notice, noticeSettings } from '../../events/notice.ts';
import { eventId } from '../../ids.ts';
import { limits } from '../../limits.ts';
import { pageOf } from './discovery-parts.ts';
import { doneAnswer, openProblems } from './user-parts.ts';
import { memberOnly, nextCursorField } from './view-parts.ts';

const unread = z
  .int()
  .nonnegative()
  .describe(`Unread notices of the user, counted up to ${limits.noticesPerUserMax}.`);

/** Lists the notices of the signed-in user. */
export const listNotices = defineOperation({
  id: 'list-notices',
  method: 'get',
  path: '/app/v1/notices',
  summary: 'List notices',
  tag: 'Notices',
  description: `What the signed-in user is told in the application, newest first: the events that webhooks send, in the same form. A notice is kept for ${limits.noticesKeptDays} days; of more than ${limits.noticesPerUserMax}, the newest.`,
  answeredBy: 'gateway',
  access: memberOnly('notices'),
  query: z.strictObject({ ...pageOf }),
  success: {
    status: 200,
    description: 'The notices.',
    schema: z
      .object({ notices: z.array(notice), unread, next_cursor: nextCursorField })
      .meta({ id: 'Notices' }),
  },
  repeatable: true,
  problems: ['invalid_cursor'],
});

/** Marks notices of the signed-in user as read. */
export const markNoticeRead = defineOperation({
  id: 'mark-notice-read',
  method: 'post',
  path: '/app/v1/notices/:event_id/read',
  summary: 'Mark a notice as read',
  tag: 'Notices',
  description:
    'Marks the notice as read, and with `and_older` all notices before it too. Later ones stay as they are, so that nothing is marked that the user has not seen.',
  answeredBy: 'gateway',
  access: memberOnly('notices'),
  params: z.strictObject({ event_id: eventId }),
  body: z.strictObject({ and_older: z.boolean().default(false) }).meta({ id: 'NoticeRead' }),
  success: {
    status: 200,
    description: 'The notice is read.',
    schema: z.object({ unread }).meta({ id: 'UnreadNotices' }),
  },
  repeatable: true,
  problems: ['notice_not_found'],
});

const settingsParts = {
  path: '/app/v1/notice-settings',
  tag: 'Notices',
  answeredBy: 'gateway',
  access: memberOnly('notices'),
  success: {
    status: 200,
    description: 'The settings.',
    schema: z
      .object({
        settings: noticeSettings,
        can_mail: z.boolean().describe('Whether this installation sends mail.'),
      })
      .meta({ id: 'NoticeSettings' }),
  },
  repeatable: true,
  problems: [],
} as const;

/** Gets how the signed-in user is told of events. */
export const getNoticeSettings = defineOperation({
  ...settingsParts,
  id: 'get-notice-settings',
  method: 'get',
  summary: 'Get the notice settings',
  description: `How the signed-in user is told of each type of event. Of lists and imports, only those that took at least ${mailedFromSeconds / 60} minutes are mailed; and at most ${limits.noticeMailsPerHourMax} notices an hour: later ones are shown in the application.`,
});

/** Sets how the signed-in user is told of events. */
export const putNoticeSettings = defineOperation({
  ...settingsParts,
  id: 'put-notice-settings',
  method: 'put',
  summary: 'Set the notice settings',
  description:
    'A type that you leave out gets its default. Switching mail off also stops mails that wait to be sent.',
  body: z.strictObject({ settings: noticeSettings.partial() }).meta({ id: 'NewNoticeSettings' }),
});

/** Switches off mails of one type for the user to whom one was sent. */
export const stopNoticeMail = defineOperation({
  id: 'stop-notice-mail',
  method: 'post',
  path: '/app/v1/notice-mail/:token',
  summary: 'Stop notices by mail',
  tag: 'Notices',
  description:
    'The `List-Unsubscribe` URL of each notice that is mailed (RFC 8058): stops mails of its type to its recipient, without a session. Mail programs call it with one click. The body is ignored. The URL does not expire.',
  answeredBy: 'gateway',
  access: { kind: 'public' },
  params: z.strictObject({ token: z.string().max(limits.noticeMailTokenCharactersMax) }),
  success: {
    status: 200,
    description: 'No more mails of this type are sent.',
    schema: doneAnswer,
    example: { done: true },
  },
  repeatable: true,
  problems: ['notice_not_found', ...openProblems],
});
