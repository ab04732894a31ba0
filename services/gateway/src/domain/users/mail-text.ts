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
  /** The text of the link; no link if absent. */
  readonly action?: string;
  readonly after?: readonly string[];
}

const ignoreIt = 'If you did not request this, ignore this email. Nothing changes unless you open the link.';

/**
 * The content of each mail. None contains text from strangers: otherwise, a visitor could send any text to any address
 * as the account name at sign-up. An invitation names an existing account.
 */
const contents: Readonly<Record<MailKind, (facts: Facts) => Content>> = {
  sign_up: () => ({
    subject: 'Confirm your Mailproof account',
    before: ['You requested a Mailproof account, or someone entered your email address.'],
    action: 'Create your account',
    after: ['You choose your password on the next page. The link works once, within 24 hours.', ignoreIt],
  }),
  already_user: () => ({
    subject: 'You already have a Mailproof account',
    before: [
      'Someone requested a Mailproof account with your email address. You already have one: sign in with this address.',
      'If you forgot your password, reset it.',
    ],
    action: 'Reset your password',
    after: ['The link works once, within one hour.', ignoreIt],
  }),
  password_reset: () => ({
    subject: 'Reset your Mailproof password',
    before: ['You asked to reset your Mailproof password, or someone entered your email address.'],
    action: 'Reset your password',
    after: ['The link works once, within one hour.', ignoreIt],
  }),
  email_change: () => ({
    subject: 'Confirm your new email address for Mailproof',
    before: ['A Mailproof user asked to change their email address to this one.'],
    action: 'Confirm email address',
    after: ['The link works once, within 24 hours.', ignoreIt],
  }),
  address_in_use: () => ({
    subject: 'Your email address is already in use at Mailproof',
    before: [
      'A Mailproof user asked to change their email address to yours. It already belongs to a user, so nothing has changed.',
    ],
  }),
  email_change_notice: () => ({
    subject: 'Your Mailproof email address is about to change',
    before: [
      'Someone who knows your password asked to change the email address of your Mailproof account. It changes when the link sent to the new address is opened.',
      'If this was not you, change your password now: this invalidates the link.',
    ],
  }),
  password_changed_notice: () => ({
    subject: 'Your Mailproof password was changed',
    before: [
      'The password of your Mailproof account was changed, and your other sessions have ended.',
      'If this was not you, reset your password now.',
    ],
  }),
  invitation: ({ accountName }) => ({
    subject: 'You are invited to a Mailproof account',
    before: [`An owner of the Mailproof account “${accountName}” invites you to join.`],
    action: 'Accept invitation',
    after: ['The link works once, within 24 hours.', ignoreIt],
  }),
  invitation_not_possible: ({ accountName }) => ({
    subject: 'You are invited to a Mailproof account',
    before: [
      `An owner of the Mailproof account “${accountName}” invites you to join. Your email address already belongs to an account, and an address can belong to only one account.`,
      'To join, ask for an invitation to a different email address.',
    ],
  }),
  opt_out: () => ({
    subject: 'Confirm the Mailproof opt-out',
    before: [
      'You asked Mailproof to delete all data about a person and not to store it again, or someone entered your email address.',
    ],
    action: 'Confirm opt-out',
    after: [
      'The link works once, within 24 hours. Your email address is deleted after this email is sent.',
      ignoreIt,
    ],
  }),
};

/** Writes a mail of a kind. */
export function writeMail(kind: MailKind, to: string, facts: Facts): Mail {
  const { action, ...content } = contents[kind](facts);
  const { linkUrl: url } = facts;
  return layOutMail(to, {
    ...content,
    links: action !== undefined && url !== undefined ? [{ action, url }] : [],
  });
}

interface Layout {
  readonly subject: string;
  readonly before: readonly string[];
  readonly links: readonly { readonly action: string; readonly url: string }[];
  readonly after?: readonly string[];
}

/** Writes a mail as plain text and simple HTML. */
export function layOutMail(to: string, { subject, before, links, after = [] }: Layout): Mail {
  const text = [...before, ...links.map(({ action, url }) => `${action}:\n${url}`), ...after, 'Mailproof'];
  const html = [
    ...before.map(paragraph),
    ...links.flatMap(({ action, url }) => [
      `<p><a href="${escapeHtml(url)}">${escapeHtml(action)}</a></p>`,
      paragraph(url),
    ]),
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
