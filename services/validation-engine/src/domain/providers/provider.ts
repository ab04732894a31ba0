/** What a provider does with the mail that it takes in. */
export type ProviderKind =
  /** Keeps the mailboxes. */
  | 'mailbox_host'
  /** Passes mail on to mailboxes elsewhere. */
  | 'forwarder'
  /** Hands mail to a program. */
  | 'inbound_application'
  /** Filters mail in front of somebody else's mailboxes: a secure email gateway. */
  | 'gateway';

/**
 * An entry of the provider table. A suffix matches at label boundaries. Inside it `*` stands for one label, and at
 * its end for any public suffix, so that `ionos.*` is `ionos.de` and `ionos.co.uk` but not `ionos.attacker.example`.
 */
export interface ProviderEntry {
  readonly id: string;
  readonly name: string;
  readonly suffixes: readonly [string, ...string[]];
}

export type ProviderId = string;

export interface Provider {
  readonly id: ProviderId;
  readonly name: string;
  readonly kind: ProviderKind;
}
