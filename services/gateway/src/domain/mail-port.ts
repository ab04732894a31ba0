/** A mail, ready to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  /** In angle brackets (RFC 5322, section 3.6.4); the host is told a new one if absent. */
  readonly messageId?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A mail could not be sent. The message names no address, because it ends up in queues and logs. */
export class MailFault extends Error {
  override readonly name = 'MailFault';
  /** Whether the mail host refused it permanently, so that a retry is useless. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/** Sends mails through a mail host. */
export interface MailPort {
  /** @throws MailFault */
  send(mail: Mail): Promise<void>;
}
