import { Problem } from '@mailproof/service-kit';
import type { NoticeStore } from '../domain/notices/notice.ts';
import { verifyStop } from '../domain/notices/notice-mail.ts';
import type { GatewayHandlers } from './guards/gateway-callers.ts';
import { withOpenCursor, withSealedCursor } from './page-cursors.ts';

export interface NoticeHandlersOptions {
  readonly notices: NoticeStore;
  readonly noticeKey: Buffer;
  readonly canMail: boolean;
  readonly now: () => Date;
}

/** The notices of a user, and how the user is told. */
export function noticeHandlers({ notices, noticeKey, canMail, now }: NoticeHandlersOptions) {
  return {
    async listNotices({ query }, { caller }) {
      const { cursor, limit } = await withOpenCursor(query, caller.cursors);
      const [page, unread] = await Promise.all([
        notices.list(caller.userId, { limit, ...(cursor !== undefined && { position: cursor }) }),
        notices.countUnread(caller.userId),
      ]);
      return withSealedCursor(
        { notices: [...page.notices], unread, next_cursor: page.nextPosition },
        caller.cursors,
      );
    },

    async markNoticeRead({ params, body }, { caller }) {
      if (!(await notices.markRead(caller.userId, params.event_id, body.and_older, now()))) {
        throw new Problem('notice_not_found');
      }
      return { unread: await notices.countUnread(caller.userId) };
    },

    async getNoticeSettings(_input, { caller }) {
      return { settings: await notices.readSettings(caller.userId), can_mail: canMail };
    },

    async putNoticeSettings({ body }, { caller }) {
      await notices.writeSettings(caller.userId, body.settings);
      return { settings: await notices.readSettings(caller.userId), can_mail: canMail };
    },

    async stopNoticeMail({ params }) {
      const stopped = verifyStop(noticeKey, params.token);
      if (!stopped) {
        throw new Problem('notice_not_found', { detail: 'The URL is incomplete, or is not one of a mail.' });
      }
      await notices.stopMail(stopped.userId, stopped.type);
      return { done: true as const };
    },
  } satisfies Partial<GatewayHandlers>;
}
