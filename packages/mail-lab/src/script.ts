/**
 * The vocabulary of the catalogue: what a domain of the lab looks like in DNS, over SMTP and over
 * HTTPS, and what an honest validator should conclude about it.
 */

export type Catalogue = readonly DomainScript[];

export type DomainScript = {
  readonly domain: string;
  /** One sentence for a reader who wonders why this domain is here. */
  readonly story: string;
  /** The domain's own records, or the way its name servers misbehave for it and everything below it. */
  readonly dns: DnsRecords | DnsTrouble;
  /** The machines behind the domain, by name. Another domain may point its MX at the same machine. */
  readonly hosts?: Readonly<Record<string, HostScript>>;
  /** Hosts that take mail for the domain although no record of it names them, such as a tenant's behind a gateway. */
  readonly unpublishedExchanges?: readonly string[];
  /** The HTTPS sites that publish facts about the domain's mailboxes, by host name. */
  readonly web?: Readonly<Record<string, WebScript>>;
  readonly expected: readonly ExpectedVerdict[];
};

export type DnsRecords = {
  /** Preference and exchange; the exchange `.` is a null MX (RFC 7505). */
  readonly mx?: readonly (readonly [preference: number, exchange: string])[];
  readonly cname?: string;
  /** Other scripted hosts whose addresses a host has too, before its own. */
  readonly alsoAt?: Readonly<Record<string, readonly string[]>>;
  /** TXT records at any name of the zone; `@` is the domain itself. */
  readonly txt?: Readonly<Record<string, readonly string[]>>;
  /** Local parts with an OpenPGP key in DNS (RFC 7929). */
  readonly openpgpkey?: readonly string[];
  /** Local parts with an S/MIME certificate association in DNS (RFC 8162). */
  readonly smimea?: readonly string[];
};

/** `nxdomain`: the name does not exist; `servfail` and `refused`: the response code; `silent`: no answer. */
export type DnsTrouble = 'nxdomain' | 'servfail' | 'refused' | 'silent';

/**
 * A machine that speaks SMTP, or one that deliberately does not: `nobody_listening` has an address
 * which refuses connections, `black_hole` has one at which packets are lost, `no_address` is a name that does
 * not resolve, and a literal address is one the lab only publishes and never serves.
 */
export type HostScript =
  | SmtpScript
  | 'nobody_listening'
  | 'black_hole'
  | 'no_address'
  | { readonly address: string };

/**
 * One server reply, as it goes over the wire but without line ends: a string per line. `{recipient}`,
 * `{localPart}`, `{domain}`, `{sender}`, `{host}` and `{client}` are filled in.
 */
export type Reply = string | readonly string[];

export type Stage = 'connect' | 'ehlo' | 'mail' | 'rcpt';

/**
 * What a host does to commands that arrive together although it announces PIPELINING: `first_only` answers the first
 * of them, `all_but_rcpt` loses those to RCPT, `silent` answers none and keeps the connection, `drops` closes it, and
 * `reversed` answers the last one first.
 */
export type BrokenPipelining = 'first_only' | 'all_but_rcpt' | 'silent' | 'drops' | 'reversed';

export type SmtpScript = {
  readonly banner?: Reply;
  /** What EHLO offers, one extension per entry. */
  readonly capabilities?: readonly string[];
  /** A reply to EHLO in place of the capabilities, for a host that knows only HELO. */
  readonly ehlo?: Reply;
  readonly helo?: Reply;
  /** A reply to STARTTLS in place of the upgrade. */
  readonly starttls?: Reply;
  readonly mail?: Reply;
  /** Replies to RCPT by lower-case local part, or by whole address where several domains share the host. */
  readonly mailboxes: Readonly<Record<string, Reply>>;
  readonly otherRecipients: Reply;
  readonly rset?: Reply;
  readonly vrfy?: Reply;
  readonly quit?: Reply;

  /** `ada+news` is delivered to `ada`. */
  readonly subaddresses?: boolean;
  readonly bannerDelayMs?: number;
  /** The wait before every reply, however many commands arrived together. */
  readonly replyDelayMs?: number;
  readonly brokenPipelining?: BrokenPipelining;
  /** Closes the connection once this has arrived, in place of a reply. */
  readonly dropAfter?: Stage;
  /** Keeps the connection and never answers again once this has arrived. */
  readonly silentAfter?: Stage;
  /** Sends octets that are no SMTP in place of the banner. */
  readonly garbage?: boolean;
  /** Sends banner continuation lines for as long as the client stays. */
  readonly endlessBanner?: boolean;
  /** Answers 421 and closes when a command follows this many refusals in one session. */
  readonly errorLimit?: number;
  /** RCPT commands answered per transaction; every later one gets 452 4.5.3. */
  readonly recipientsPerTransactionMax?: number;
  /**
   * Believes each session, or each transaction, of one recipient, or each session of one transaction or one domain:
   * every later recipient gets 550 5.1.1.
   */
  readonly believesFirst?: 'of_session' | 'of_transaction' | 'transaction' | 'domain';
  /** Calls every recipient unknown once a session has asked about this many, or has met this many refusals. */
  readonly unknownAfter?: { readonly recipients: number } | { readonly refusals: number };
  /** Recipients answered per session; every later one gets 452 4.5.3. */
  readonly recipientsPerSessionMax?: number;
  /**
   * Changes its mind once it was asked about so many recipients, over all sessions: it accepts everybody before and
   * follows its script then, or follows its script before and calls everybody unknown then.
   */
  readonly turnsAfter?: { readonly recipients: number; readonly from: 'everybody' | 'script' };
  /** Defers a (client, sender, recipient) tuple until this long after it was first seen. */
  readonly greylistMs?: number;
  /** Accepts every recipient once it has refused this many, over all sessions, like a gateway that fails open. */
  readonly failsOpenAfter?: number;
  /** Refuses local parts of this form in these words, before everything else that is known of them. */
  readonly refusedForm?: { readonly form: RegExp; readonly reply: Reply };
  /** What it says then, in place of a reply that calls itself a greylist. */
  readonly greylistReply?: Reply;
  /** Refuses MAIL with 530 5.7.0 until STARTTLS has been used (RFC 3207 section 4). */
  readonly requireTls?: boolean;
  /** Refuses every recipient of a client that spoke before the banner. */
  readonly earlyTalkerPunished?: boolean;
  /** Sessions served at once; one more is greeted with 421. */
  readonly concurrentSessionsMax?: number;
};

/** Local parts a site knows, or `everybody` for one that answers positively whoever is asked about. */
export type KnownMailboxes = readonly string[] | 'everybody';

export type WebScript = {
  /** Keys by the advanced method of the Web Key Directory draft (host `openpgpkey.<domain>`). */
  readonly wkdAdvanced?: KnownMailboxes;
  /** Keys by the direct method of the Web Key Directory draft (host is the domain itself). */
  readonly wkdDirect?: KnownMailboxes;
  /** Accounts by WebFinger (RFC 7033). */
  readonly webfinger?: KnownMailboxes;
  /** Plain texts by their path, such as a published list. */
  readonly pages?: Readonly<Record<string, string>>;
  /** Addresses with a key on a key server (`/vks/v1/by-email/`), which serves every domain. */
  readonly keyServer?: readonly string[];
  /** Addresses with a picture (`/avatar/`), which is found by the hash of the address. */
  readonly avatars?: readonly string[];
  /** Answers every request with this status. */
  readonly status?: number;
  /** Completes the TLS handshake and never answers a request. */
  readonly silent?: boolean;
  /** Who vouches for the site: the lab's authority (when left out) or nobody. */
  readonly certificate?: 'self_signed';
};

export type Result = 'ok' | 'catch_all' | 'catch_all_validated' | 'invalid' | 'unknown';

export type ExpectedVerdict = {
  readonly address: string;
  readonly result: Result;
  /** Why, as one snake_case word of the validator's vocabulary. */
  readonly reason: string;
};

export function isSmtpScript(host: HostScript): host is SmtpScript {
  return typeof host === 'object' && !('address' in host);
}
