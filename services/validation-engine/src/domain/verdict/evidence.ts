import type { ValidationResult, VerdictReason } from '@mailproof/shared-types';
import type { Weighing } from '../catch-all/weigh.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { DnsFailure } from '../dns/mail-dns.ts';
import type { SmtpFailure } from '../smtp/connection.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Transcript } from '../smtp/transcript.ts';

/** The outcome of trying one mail host, or one of its addresses. */
export type Attempt =
  /** The host's name does not exist or has no address, according to its zone. */
  | { readonly kind: 'no_address'; readonly host: string }
  /** DNS gave no answer about the host's address. */
  | { readonly kind: 'dns_failure'; readonly host: string; readonly failure: DnsFailure }
  /** None of the host's addresses may be contacted. */
  | { readonly kind: 'forbidden'; readonly host: string }
  | {
      readonly kind: 'not_connected';
      readonly host: string;
      readonly address: string;
      readonly failure: SmtpFailure;
    }
  | {
      readonly kind: 'probed';
      readonly host: string;
      readonly address: string;
      readonly result: ProbeResult;
      readonly transcript: Transcript;
    };

/** The evidence about one address at a catch-all domain. */
export interface CatchAllEvidence extends Weighing {
  /** Additional mail hosts that were asked. */
  readonly attempts: readonly Attempt[];
  /** Set if people whom the asking account has imported count: the verdict is then for this account alone. */
  readonly restsOnOwnPeople?: true | undefined;
}

/** Everything that a verdict rests on. */
export interface Evidence {
  readonly mailHosts: MailHosts;
  readonly attempts: readonly Attempt[];
  /** True if no host was skipped for lack of time or because of a limit. */
  readonly complete: boolean;
  /** What else is known about the address, if the domain is a catch-all. */
  readonly catchAll?: CatchAllEvidence;
}

/** A verdict, and its main reason. */
export interface Decision {
  readonly result: ValidationResult;
  readonly reason: VerdictReason;
}
