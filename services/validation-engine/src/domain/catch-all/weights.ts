import type { SourceFindings, SourceId } from './observation.ts';

/** Sources that are likely to be right or wrong together. */
export type GroupId = 'mail_host' | 'published_key' | 'account';

export interface SourceWeights<Finding extends string> {
  readonly group: GroupId;
  readonly addressSpecific: boolean;
  /** The age at which an observation counts for half. */
  readonly halfLifeDays: number;
  /** Log-likelihood ratios: natural logarithms, 0 for what says nothing. */
  readonly llr: Readonly<Record<Finding, number>>;
}

export interface Weights {
  /** Changes with every change below, and stands beside each verdict that rests on it. */
  readonly version: string;
  /** The share of addresses at catch-all domains that exist, ahead of all evidence. */
  readonly prior: number;
  /** The most that the observations of one group count for together, in either direction. */
  readonly groupCaps: Readonly<Record<GroupId, number>>;
  readonly sources: { readonly [Id in SourceId]: SourceWeights<SourceFindings[Id]> };
}

/** Mailboxes vanish at 20 to 25 % a year, so after 990 days half of what was true still is. */
const mailboxHalfLifeDays = 990;
/** What a host replies depends on its settings, which change sooner. */
const replyHalfLifeDays = 30;

/**
 * That nothing is published counts for nothing: hardly anybody publishes keys. A made-up mailbox with a key spoils
 * the source for the domain.
 */
const unpublished = { not_published: 0, published_for_everybody: 0, no_answer: 0 } as const;

/**
 * Starting values, not yet fitted on outcomes. With the prior of 0.74, +1.9 is enough for a posterior of 0.95: a
 * published key suffices, an account or a slightly different text does not.
 */
export const weights: Weights = {
  version: '1',
  prior: 0.74,
  groupCaps: { mail_host: 6, published_key: 5, account: 1 },
  sources: {
    differential_reply: {
      group: 'mail_host',
      addressSpecific: true,
      halfLifeDays: replyHalfLifeDays,
      // The real recipient is always the first of its transaction, which alone may change the wording.
      llr: { code_differs: 3, status_differs: 1.5, text_differs: 0.5, alike: 0, no_answer: 0 },
    },
    published_mx: {
      group: 'mail_host',
      addressSpecific: true,
      halfLifeDays: replyHalfLifeDays,
      llr: {
        knows_recipient: 6,
        full: 6,
        rate_limited: 6,
        missing: -6,
        missing_at_backup: -2,
        disabled: -6,
        accepts_everybody: 0,
        no_answer: 0,
      },
    },
    openpgpkey: {
      group: 'published_key',
      addressSpecific: true,
      halfLifeDays: mailboxHalfLifeDays,
      llr: { published: 4, ...unpublished },
    },
    smimea: {
      group: 'published_key',
      addressSpecific: true,
      halfLifeDays: mailboxHalfLifeDays,
      llr: { published: 4, ...unpublished },
    },
    web_key_directory: {
      group: 'published_key',
      addressSpecific: true,
      halfLifeDays: mailboxHalfLifeDays,
      llr: { published: 3.5, ...unpublished },
    },
    webfinger: {
      group: 'account',
      addressSpecific: true,
      halfLifeDays: mailboxHalfLifeDays,
      // An account, not surely a mailbox.
      llr: { published: 1, ...unpublished },
    },
  },
};
