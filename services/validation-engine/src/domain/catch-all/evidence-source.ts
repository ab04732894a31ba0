import type { AccountId } from '@mailproof/shared-types';
import type { Deadline } from '../concurrency/deadline.ts';
import type { MailHost } from '../dns/find-mail-hosts.ts';
import type { EvidenceDns } from '../dns/mail-dns.ts';
import type { KnownPeople } from '../known-people/known-people.ts';
import type { OutcomeHistory } from '../outcomes/outcome-store.ts';
import type { ContactPorts, ContactTask } from '../validation/contact-hosts.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { Observation, SourceId } from './observation.ts';
import type { SiteLooks } from './site/site-looks.ts';
import type { WebClient } from './web-client.ts';

/** Who learns what when a source is asked. */
export type PrivacyClass =
  /** No one learns anything: the source reads what is already known. */
  | 'nothing'
  /** Mail hosts of the domain itself: the address. */
  | 'address_to_mail_hosts'
  /** Name servers, ours and the domain's: a hash of the local part. */
  | 'hash_to_name_servers'
  /** Web servers of the domain itself: that someone reads its public pages, and nothing about an address. */
  | 'visit_to_domain'
  /** Web servers of the domain itself: the address. */
  | 'address_to_domain'
  /** A third party: the address, or a hash that can be guessed back. */
  | 'address_to_third_party'
  | 'hash_to_third_party'
  /** A mail host that the domain does not publish: the address. */
  | 'address_to_unpublished_host';

/** The most requests that a source makes for one address. */
export interface Cost {
  readonly smtpConnections: number;
  readonly dnsQuestions: number;
  readonly httpsRequests: number;
}

export interface EvidencePorts extends ContactPorts {
  readonly evidenceDns: EvidenceDns;
  readonly web: WebClient;
  readonly sites: SiteLooks;
  readonly outcomes: OutcomeHistory;
  readonly knownPeople: KnownPeople;
  /** Local parts that belong to functions, in lower case. */
  readonly roles: ReadonlySet<string>;
}

/** An address of a catch-all domain, and what is known about it so far. */
export interface Inquiry {
  readonly task: ContactTask;
  readonly domain: EvidenceDomain;
  /** A local part that does not exist, for control questions. */
  readonly stranger: string;
  readonly mailHosts: readonly MailHost[];
  readonly attempts: readonly Attempt[];
  /** The account that asks: its own outcomes count fully, and its own people count. If left out, none do. */
  readonly accountId?: AccountId | undefined;
}

export interface EvidenceDomain {
  /** In lower-case A-labels. */
  readonly ascii: string;
  readonly unicode: string;
}

export interface Gathered {
  readonly observations: readonly Observation[];
  /** Set if people whom the asking account has imported changed an observation, which is then for it alone. */
  readonly restsOnOwnPeople?: true | undefined;
  /** Further mail hosts that were asked. */
  readonly attempts?: readonly Attempt[];
}

/** A source that may know something about one address. */
export interface EvidenceSource {
  readonly id: SourceId;
  readonly privacy: PrivacyClass;
  readonly cost: Cost;
  readonly enabledByDefault: boolean;
  gather(ports: EvidencePorts, inquiry: Inquiry, deadline: Deadline): Promise<Gathered>;
}
