import { inTransaction, onlyRow, traceParent } from '@mailproof/service-kit';
import {
  limits,
  type Notice,
  noticeDefaults,
  sendNoticeJob,
  subscribedEventTypes,
  type UserId,
} from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { type NoticeStore, settingsOf } from '../../domain/notices/notice.ts';
import { sql as accounts } from './accounts.sql.ts';
import { sql } from './notices.sql.ts';

const hourMs = 3_600_000;
/** The number of notices that one statement deletes, so that none exceeds the statement timeout. */
const sweptAtOnceMax = 5_000;
/** A newer release may have stored others. */
const types = [...subscribedEventTypes];

/** Notices, on Postgres. */
export function createNoticeStore(pool: Pool): NoticeStore {
  return {
    add: ({ event_id, account_id, type, happened_at, data }, decide, now) =>
      inTransaction(pool, async client => {
        await sql.lock_account_of_event(client, { account_id });
        const { rows } = await sql.list_recipients(client, {
          account_id,
          mailed_after: new Date(now.getTime() - hourMs),
        });
        for (const { user_id, notice_settings, mailed } of rows) {
          const userId = user_id as UserId;
          const { in_app, mail } = decide({ userId, settings: settingsOf(notice_settings), mailed });
          if (!in_app && !mail) {
            continue;
          }
          const { rowCount } = await sql.add_notice(client, {
            user_id,
            event_id,
            type,
            data: JSON.stringify(data),
            happened_at: new Date(happened_at),
            in_app,
            mail: mail ? 'waiting' : null,
            now,
          });
          if (rowCount === 1) {
            await sql.trim_notices(client, { user_id, kept_max: limits.noticesPerUserMax });
          }
          if (mail && rowCount === 1) {
            await accounts.queue_job(client, {
              job_type: sendNoticeJob.name,
              payload: JSON.stringify(sendNoticeJob.payload.parse({ userId, eventId: event_id })),
              trace_parent: traceParent(),
            });
          }
        }
      }),

    async list(userId, { position, limit }) {
      const { rows } = await sql.list_notices(pool, {
        user_id: userId,
        types,
        before: position === undefined ? null : Number(position),
        rows_max: limit + 1,
      });
      const shown = rows.slice(0, limit);
      const last = rows.length > limit ? shown.at(-1) : undefined;
      return {
        notices: shown.map(
          ({ event_id, type, data, happened_at, read_at }) =>
            ({
              event_id,
              type,
              happened_at: happened_at.toISOString(),
              read: read_at !== null,
              data,
            }) as Notice,
        ),
        ...(last && { nextPosition: last.notice_no }),
      };
    },

    async countUnread(userId) {
      const few = { user_id: userId, types, rows_max: limits.noticesPerUserMax };
      return (await onlyRow(sql.count_unread(pool, few))).unread;
    },

    async markRead(userId, eventId, andOlder, now) {
      const chosen = { user_id: userId, event_id: eventId, and_older: andOlder, now };
      return (await onlyRow(sql.mark_read(pool, chosen))).found === 1;
    },

    async findWaitingMail(userId, eventId) {
      const { rows } = await sql.find_waiting_mail(pool, { user_id: userId, event_id: eventId });
      const [row] = rows;
      return (
        row && {
          email: row.email,
          settings: settingsOf(row.notice_settings),
          event: { type: row.type, data: row.data } as Notice,
        }
      );
    },

    async noteMailed(userId, eventId) {
      await sql.note_mailed(pool, { user_id: userId, event_id: eventId });
    },

    async readSettings(userId) {
      const { rows } = await sql.read_notice_settings(pool, { user_id: userId });
      return settingsOf(rows[0]?.notice_settings);
    },

    async writeSettings(userId, settings) {
      await sql.write_notice_settings(pool, { user_id: userId, settings: JSON.stringify(settings) });
    },

    async stopMail(userId, type) {
      const channels = JSON.stringify(noticeDefaults[type]);
      await sql.stop_notice_mail(pool, { user_id: userId, type, channels });
    },

    async sweep(createdBefore) {
      const some = { created_before: createdBefore, rows_max: sweptAtOnceMax };
      while ((await sql.sweep_notices(pool, some)).rowCount === sweptAtOnceMax) {
        // Each round deletes a portion.
      }
    },
  };
}
