/** A mail, ready to be sent. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail could not be handed over. The message names no address: it gets into queues and logs. */
export class MailFault extends Error {
  override readonly name = 'MailFault';
  /** Whether the mail host refused it for good, so that trying again is of no use. */
  readonly isPermanent: boolean;

  constructor(message: string, isPermanent: boolean) {
    super(message);
    this.isPermanent = isPermanent;
  }
}

/** Hands mails over to a mail host. */
export interface MailPort {
  /** @throws MailFault */
  send(mail: Mail): Promise<void>;
}
