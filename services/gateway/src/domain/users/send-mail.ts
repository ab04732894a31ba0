import type { MailId } from '@mailproof/shared-types';
import { MailFault, type MailPort } from '../mail-port.ts';
import type { MailKind, MailQueue } from './mail-queue.ts';
import { writeMail } from './mail-text.ts';
import { signLink } from './one-time-link.ts';

export interface SendMailPorts {
  readonly queue: MailQueue;
  /** Absent if no mail host is configured. */
  readonly mail: MailPort | undefined;
  readonly linkKey: Buffer;
  readonly publicBaseUrl: string;
  readonly now: () => Date;
  readonly onSent: (kind: MailKind) => void;
  readonly onRefused: (kind: MailKind, fault: MailFault) => void;
}

/**
 * Sends a queued mail. A link's token is created here and exists only in the mail. If this runs twice, the mail may
 * arrive twice, with the same link.
 */
export async function sendMail(ports: SendMailPorts, mailId: MailId): Promise<void> {
  const queued = await ports.queue.take(mailId, ports.now());
  if (!queued) {
    return;
  }
  const { kind, email, link, accountName } = queued;
  if (!ports.mail && !link) {
    // A notice that no client waits for.
    return ports.queue.drop(mailId);
  }
  if (!ports.mail) {
    throw new MailFault('No SMTP server is configured.', false);
  }
  const token = link && signLink(ports.linkKey, link.purpose, link.linkId);
  const mail = writeMail(kind, email, {
    // In the fragment, which browsers do not send, so it never reaches a server's log.
    ...(link && { linkUrl: `${ports.publicBaseUrl}/confirm#token=${token}&for=${link.purpose}` }),
    ...(accountName !== undefined && { accountName }),
  });
  try {
    await ports.mail.send(mail);
    ports.onSent(kind);
  } catch (error) {
    if (!(error instanceof MailFault && error.isPermanent)) {
      throw error;
    }
    ports.onRefused(kind, error);
  }
  await ports.queue.drop(mailId);
}
