import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type EventId,
  noticeWords,
  type SubscribedEventType,
  subscribedEventTypes,
  type UserId,
} from '@mailproof/shared-types';
import { type Mail, MailFault, type MailPort } from '../mail-port.ts';
import { layOutMail } from '../users/mail-text.ts';
import type { NoticeStore, WaitingMail } from './notice.ts';

export interface NoticeMailPorts {
  readonly notices: Pick<NoticeStore, 'findWaitingMail' | 'noteMailed'>;
  readonly mail: MailPort;
  readonly noticeKey: Buffer;
  readonly publicBaseUrl: string;
  readonly onSent: (kind: SubscribedEventType) => void;
  readonly onRefused: (kind: SubscribedEventType, fault: MailFault) => void;
}

/**
 * Mails a notice, unless the user has switched off mails of its type meanwhile. If this runs twice, the mail may arrive
 * twice, with the same `Message-ID`, by which mail programs recognize it.
 */
export async function sendNotice(ports: NoticeMailPorts, userId: UserId, eventId: EventId): Promise<void> {
  const waiting = await ports.notices.findWaitingMail(userId, eventId);
  if (!waiting) {
    return;
  }
  const { type } = waiting.event;
  if (waiting.settings[type].mail) {
    try {
      await ports.mail.send(writeNotice(ports, waiting.email, waiting.event, { userId, eventId }));
      ports.onSent(type);
    } catch (error) {
      if (!(error instanceof MailFault && error.isPermanent)) {
        throw error;
      }
      ports.onRefused(type, error);
    }
  }
  await ports.notices.noteMailed(userId, eventId);
}

/** Signs the URL that stops mails of a type to a user. It does not expire, because a mail can be read at any time. */
export function signStop(key: Buffer, userId: UserId, type: SubscribedEventType): string {
  return `mp_stop_${userId.slice('user_'.length)}-${type}-${signatureOf(key, userId, type).toString('hex')}`;
}

/** Returns the user and the type for which a token was signed. */
export function verifyStop(
  key: Buffer,
  token: string,
): { readonly userId: UserId; readonly type: SubscribedEventType } | undefined {
  const [, body, name, signature] = /^mp_stop_([0-9a-f]{32})-([a-z_.]+)-([0-9a-f]{64})$/.exec(token) ?? [];
  const type = subscribedEventTypes.find(each => each === name);
  if (body === undefined || signature === undefined || type === undefined) {
    return undefined;
  }
  const userId = `user_${body}` as UserId;
  return timingSafeEqual(Buffer.from(signature, 'hex'), signatureOf(key, userId, type))
    ? { userId, type }
    : undefined;
}

function signatureOf(key: Buffer, userId: UserId, type: SubscribedEventType): Buffer {
  return createHmac('sha256', key).update(`${userId} ${type}`).digest();
}

function writeNotice(
  { noticeKey, publicBaseUrl }: Pick<NoticeMailPorts, 'noticeKey' | 'publicBaseUrl'>,
  to: string,
  told: WaitingMail['event'],
  { userId, eventId }: { readonly userId: UserId; readonly eventId: EventId },
): Mail {
  const { subject, text, action, path } = noticeWords(told);
  const token = signStop(noticeKey, userId, told.type);
  return {
    ...layOutMail(to, {
      subject,
      before: [text],
      links: [
        { action, url: `${publicBaseUrl}/app${path}` },
        { action: 'Stop mails of this kind', url: `${publicBaseUrl}/app/notices/stop#token=${token}` },
        { action: 'Choose what you are mailed', url: `${publicBaseUrl}/app/account/notices` },
      ],
    }),
    messageId: `<${eventId}.${userId}@${new URL(publicBaseUrl).hostname}>`,
    // RFC 8058, section 3.1.
    headers: {
      'List-Unsubscribe': `<${publicBaseUrl}/app/v1/notice-mail/${token}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    },
  };
}
