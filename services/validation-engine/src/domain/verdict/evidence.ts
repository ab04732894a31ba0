import type { CatchAllEvidence } from '../catch-all/gather-evidence.ts';
import type { MailHosts } from '../dns/find-mail-hosts.ts';
import type { DnsFailure } from '../dns/mail-dns.ts';
import type { SmtpFailure } from '../smtp/connection.ts';
import type { ProbeResult } from '../smtp/probe-recipient.ts';
import type { Transcript } from '../smtp/transcript.ts';

/** What came of trying one mail host, or one address of it. */
export type Attempt =
  /** The host's name does not exist or has no address: a statement of its zone. */
  | { readonly kind: 'no_address'; readonly host: string }
  /** DNS did not say where the host is. */
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

/** Everything that a verdict rests on. */
export interface Evidence {
  readonly mailHosts: MailHosts;
  readonly attempts: readonly Attempt[];
  /** True when no host was passed over, for want of time or by a bound. */
  readonly complete: boolean;
  /** What else is known of the address, where the domain accepts everybody. */
  readonly catchAll?: CatchAllEvidence;
}
