import type { AccountId } from '@mailproof/shared-types';
import type { ContactPorts, Errand } from '../contact-hosts.ts';
import type { Deadline } from '../deadline.ts';
import type { EvidenceDns } from '../dns/evidence-dns.ts';
import type { MailHost } from '../dns/find-mail-hosts.ts';
import type { OutcomeHistory } from '../outcomes/outcome-store.ts';
import type { Attempt } from '../verdict/evidence.ts';
import type { Observation, SourceId } from './observation.ts';
import type { WebClient } from './web-client.ts';

/** Who learns what by the asking. */
export type PrivacyClass =
  /** Nobody anything: it rereads what was said already. */
  | 'nothing'
  /** Mail hosts of the domain itself: the address. */
  | 'address_to_mail_hosts'
  /** Name servers, ours and the domain's: a hash of the local part. */
  | 'hash_to_name_servers'
  /** Web servers of the domain itself: the address. */
  | 'address_to_domain'
  /** Somebody who has nothing to do with the domain: the address, or a hash that can be guessed back. */
  | 'address_to_third_party'
  | 'hash_to_third_party'
  /** A mail host that the domain does not publish: the address. */
  | 'address_to_unpublished_host';

/** The most that a source asks for one address. */
export interface Cost {
  readonly smtpConnections: number;
  readonly dnsQuestions: number;
  readonly httpsRequests: number;
}

export interface EvidencePorts extends ContactPorts {
  readonly evidenceDns: EvidenceDns;
  readonly web: WebClient;
  readonly outcomes: OutcomeHistory;
  /** Local parts that belong to functions, in lower case. */
  readonly roles: ReadonlySet<string>;
}

/** An address whose domain accepts everybody, and what is known about it so far. */
export interface Inquiry {
  readonly errand: Errand;
  readonly domain: EvidenceDomain;
  /** A local part that nobody has, for control questions. */
  readonly stranger: string;
  readonly mailHosts: readonly MailHost[];
  readonly attempts: readonly Attempt[];
  /** Who asks: its own outcomes count fully, and nobody's where it is left out. */
  readonly accountId?: AccountId | undefined;
}

export interface EvidenceDomain {
  /** In lower-case A-labels. */
  readonly ascii: string;
  readonly unicode: string;
}

export interface Gathered {
  readonly observations: readonly Observation[];
  /** Further mail hosts that were asked. */
  readonly attempts?: readonly Attempt[];
}

/** A place where something may be known about one address. */
export interface EvidenceSource {
  readonly id: SourceId;
  readonly privacy: PrivacyClass;
  readonly cost: Cost;
  readonly enabledByDefault: boolean;
  gather(ports: EvidencePorts, inquiry: Inquiry, deadline: Deadline): Promise<Gathered>;
}
