import { escapeHtml } from '../escape-html.ts';
import type { Mail } from '../mail-port.ts';
import type { MailKind } from './mail-queue.ts';

interface Facts {
  readonly linkUrl?: string;
  readonly accountName?: string;
}

interface Content {
  readonly subject: string;
  readonly before: readonly string[];
  /** What the link says; no link without it. */
  readonly action?: string;
  readonly after?: readonly string[];
}

const ignoreIt = 'If it was not you, do nothing: without the link nothing happens.';

/**
 * What each mail says. Text of strangers stands in none of them: the name that somebody gives an account while signing
 * up would be a way of sending it to anybody. An invitation names the account that its owner has already.
 */
const contents: Readonly<Record<MailKind, (facts: Facts) => Content>> = {
  sign_up: () => ({
    subject: 'Confirm your Mailproof account',
    before: ['You, or somebody who gave your address, asked for a Mailproof account.'],
    action: 'Make the account',
    after: ['You choose the password there. The link works once, within 24 hours.', ignoreIt],
  }),
  already_user: () => ({
    subject: 'You have a Mailproof account already',
    before: [
      'You, or somebody who gave your address, asked for a Mailproof account. Your address has one already: sign in with it.',
      'If you do not know the password any more, set a new one.',
    ],
    action: 'Set a new password',
    after: ['The link works once, within one hour.', ignoreIt],
  }),
  password_reset: () => ({
    subject: 'Set a new password for Mailproof',
    before: ['You, or somebody who gave your address, asked to set a new password for Mailproof.'],
    action: 'Set a new password',
    after: ['The link works once, within one hour.', ignoreIt],
  }),
  email_change: () => ({
    subject: 'Confirm your new address for Mailproof',
    before: ['A user of Mailproof asked to use this address from now on.'],
    action: 'Use this address',
    after: ['The link works once, within 24 hours.', ignoreIt],
  }),
  address_in_use: () => ({
    subject: 'Your address is in use at Mailproof',
    before: [
      'A user of Mailproof asked to use this address. It belongs to a user already, so nothing has changed.',
    ],
  }),
  email_change_notice: () => ({
    subject: 'Your address for Mailproof is about to change',
    before: [
      'Somebody who knows your password asked to use another address for your Mailproof account. It changes once the mail to that address is answered.',
      'If it was not you, change your password now: that makes the link in the other mail void.',
    ],
  }),
  password_changed_notice: () => ({
    subject: 'Your password for Mailproof has changed',
    before: [
      'The password of your Mailproof account has changed, and other sessions have ended.',
      'If it was not you, ask for a link that resets it.',
    ],
  }),
  invitation: ({ accountName }) => ({
    subject: 'You are invited to a Mailproof account',
    before: [`An owner of the Mailproof account “${accountName}” invites you to become a member.`],
    action: 'Accept the invitation',
    after: ['The link works once, within 24 hours.', ignoreIt],
  }),
  invitation_not_possible: ({ accountName }) => ({
    subject: 'You are invited to a Mailproof account',
    before: [
      `An owner of the Mailproof account “${accountName}” invites you to become a member. Your address belongs to an account already, and an address can belong to one only.`,
      'Ask for an invitation to another address of yours.',
    ],
  }),
  opt_out: () => ({
    subject: 'Confirm that a profile is left out of Mailproof',
    before: [
      'You, or somebody who gave your address, asked Mailproof to delete what it keeps of a person, and to leave that person out from now on.',
    ],
    action: 'Leave the person out',
    after: ['The link works once, within 24 hours. Your address is forgotten with this mail.', ignoreIt],
  }),
};

/** Writes a mail in plain words, as text and as simple HTML. */
export function writeMail(kind: MailKind, to: string, facts: Facts): Mail {
  const { subject, before, action, after = [] } = contents[kind](facts);
  const { linkUrl } = facts;
  const link = action !== undefined && linkUrl !== undefined ? { action, linkUrl } : undefined;
  const text = [...before, ...(link ? [`${link.action}:\n${link.linkUrl}`] : []), ...after, 'Mailproof'];
  const html = [
    ...before.map(paragraph),
    ...(link
      ? [
          `<p><a href="${escapeHtml(link.linkUrl)}">${escapeHtml(link.action)}</a></p>`,
          paragraph(link.linkUrl),
        ]
      : []),
    ...after.map(paragraph),
    paragraph('Mailproof'),
  ];
  return {
    to,
    subject,
    text: `${text.join('\n\n')}\n`,
    html: `<!doctype html>\n<html lang="en"><body>\n${html.join('\n')}\n</body></html>\n`,
  };
}

function paragraph(text: string): string {
  return `<p>${escapeHtml(text)}</p>`;
}
