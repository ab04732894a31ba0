import { type House, waitFor } from '@mailproof/dev-house';
import { readSubmittedMessages } from '@mailproof/mail-lab';
import PostalMime from 'postal-mime';

/** A mail that the system has sent. */
export interface Mailed {
  readonly subject: string;
  readonly text: string;
  /** The URL of the mail's link; empty if it has none. */
  readonly link: string;
}

/** Waits for the mail with a given number to an address, counted from 1. */
export async function mailed(house: House, to: string, number = 1): Promise<Mailed> {
  const mail = await waitFor(
    `Mail ${number} to ${to} arrives`,
    async () => {
      const messages = await readSubmittedMessages(house.mail?.directory ?? '');
      const read = await Promise.all(messages.map(message => PostalMime.parse(message.text)));
      return read.filter(each => each.to?.some(({ address }) => address === to))[number - 1];
    },
    { deadlineMs: 60_000 },
  );
  const text = mail.text ?? '';
  return { subject: mail.subject ?? '', text, link: /https?:\S+#token=\S+/.exec(text)?.[0] ?? '' };
}
