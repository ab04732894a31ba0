/**
 * The vocabulary of the catalog: how a domain of the lab appears in DNS, over SMTP and over HTTPS, and the verdict that
 * a validator should reach.
 */

export type Catalog = readonly DomainScript[];

export type DomainScript = {
  readonly domain: string;
  /** One sentence that explains why the catalog contains this domain. */
  readonly story: string;
  /** The domain's own records, or how its name servers misbehave for the domain and all names below it. */
  readonly dns: DnsRecords | DnsTrouble;
  /** The machines behind the domain, by name. Another domain may point its MX at the same machine. */
  readonly hosts?: Readonly<Record<string, HostScript>>;
  /** Hosts that accept mail for the domain although no record names them, such as a tenant's behind a gateway. */
  readonly unpublishedExchanges?: readonly string[];
  /** The HTTPS sites that publish facts about the domain's mailboxes, by host name. */
  readonly web?: Readonly<Record<string, WebHostScript>>;
  readonly expected: readonly ExpectedVerdict[];
};

export type DnsRecords = {
  /** MX records by preference and exchange; the exchange `.` is a null MX (RFC 7505). */
  readonly mx?: readonly (readonly [preference: number, exchange: string])[];
  readonly cname?: string;
  /** Other scripted hosts whose addresses a host also has, listed before its own. */
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
 * A machine that speaks SMTP, or one that deliberately does not: `no_listener` has an address that refuses
 * connections, `black_hole` has an address that drops packets, `no_address` is a name that does not resolve, and a
 * literal address is only published and never served by the lab.
 */
export type HostScript =
  | SmtpScript
  | 'no_listener'
  | 'black_hole'
  | 'no_address'
  | { readonly address: string };

/**
 * One server reply as sent, but without line endings: a string per line. `{recipient}`, `{localPart}`, `{domain}`,
 * `{sender}`, `{host}` and `{client}` are filled in.
 */
export type Reply = string | readonly string[];

export type Stage = 'connect' | 'ehlo' | 'mail' | 'rcpt';

/**
 * How a host with broken PIPELINING handles commands that arrive together: `first_only` replies to the first,
 * `all_but_rcpt` loses the replies to RCPT, `silent` sends no reply and keeps the connection, `drops` closes it,
 * `refuses` closes it with 421, and `reversed` replies to the last command first.
 */
export type BrokenPipelining = 'first_only' | 'all_but_rcpt' | 'silent' | 'drops' | 'refuses' | 'reversed';

export type SmtpScript = {
  readonly banner?: Reply;
  /** The extensions that EHLO lists, one per entry. */
  readonly capabilities?: readonly string[];
  /** A reply to EHLO instead of the capabilities, for a host that supports only HELO. */
  readonly ehlo?: Reply;
  readonly helo?: Reply;
  /** A reply to STARTTLS instead of the upgrade. */
  readonly starttls?: Reply;
  readonly mail?: Reply;
  /** Replies to RCPT by lower-case local part, or by whole address if several domains share the host. */
  readonly mailboxes: Readonly<Record<string, Reply>>;
  readonly otherRecipients: Reply;
  readonly rset?: Reply;
  readonly vrfy?: Reply;
  readonly quit?: Reply;

  /** Whether `ada+news` is delivered to `ada`. */
  readonly subaddresses?: boolean;
  readonly bannerDelayMs?: number;
  /** The delay before every reply, regardless of how many commands arrived together. */
  readonly replyDelayMs?: number;
  readonly brokenPipelining?: BrokenPipelining;
  /** Closes the connection at this stage instead of replying. */
  readonly dropAfter?: Stage;
  /** Keeps the connection but never replies again after this stage. */
  readonly silentAfter?: Stage;
  /** Sends its replies in ISO 8859-1 instead of UTF-8. */
  readonly isLatin?: boolean;
  /** Sends octets that are not SMTP instead of the banner. */
  readonly garbage?: boolean;
  /** Sends banner continuation lines for as long as the client stays. */
  readonly endlessBanner?: boolean;
  /** Replies with 421 and closes when a command follows this many refusals in one session. */
  readonly errorLimit?: number;
  /** The most RCPT commands that are handled per transaction; later ones get 452 4.5.3. */
  readonly recipientsPerTransactionMax?: number;
  /**
   * Gives true replies only for the first recipient of each session or transaction, or only for the first transaction
   * or domain of each session: every later recipient gets 550 5.1.1.
   */
  readonly believesFirst?: 'of_session' | 'of_transaction' | 'transaction' | 'domain';
  /** Refuses every recipient as unknown after this many recipients, or this many refusals, in a session. */
  readonly unknownAfter?: { readonly recipients: number } | { readonly refusals: number };
  /** The most recipients that are handled per session; later ones get 452 4.5.3. */
  readonly recipientsPerSessionMax?: number;
  /**
   * Changes its behavior after this many recipients, across all sessions. With `everybody`, it first accepts every
   * recipient and then follows its script. With `script`, it first follows its script and then refuses every recipient
   * as unknown.
   */
  readonly turnsAfter?: { readonly recipients: number; readonly from: 'everybody' | 'script' };
  /** Defers a (client, sender, recipient) tuple until this long after it was first seen. */
  readonly greylistMs?: number;
  /** Accepts every recipient after it has refused this many, across all sessions, like a gateway that fails open. */
  readonly failsOpenAfter?: number;
  /** Refuses local parts of this form with this reply, before any other rule applies. */
  readonly refusedForm?: { readonly form: RegExp; readonly reply: Reply };
  /** The reply for a deferral, instead of one that mentions greylisting. */
  readonly greylistReply?: Reply;
  /** Refuses MAIL with 530 5.7.0 until STARTTLS has been used (RFC 3207 section 4). */
  readonly requireTls?: boolean;
  /** Refuses every recipient from a client that sent data before the banner. */
  readonly earlyTalkerPunished?: boolean;
  /** The most concurrent sessions; another one is greeted with 421. */
  readonly concurrentSessionsMax?: number;
};

/** The local parts that a site knows, or `everybody` for a site that knows every local part. */
export type KnownMailboxes = readonly string[] | 'everybody';

export type WebScript = {
  /** Keys found by the advanced method of the Web Key Directory draft (host `openpgpkey.<domain>`). */
  readonly wkdAdvanced?: KnownMailboxes;
  /** Keys found by the direct method of the Web Key Directory draft (the host is the domain itself). */
  readonly wkdDirect?: KnownMailboxes;
  /** Accounts found by WebFinger (RFC 7033). */
  readonly webfinger?: KnownMailboxes;
  /** Pages by path; a string is a plain text, such as a published list. Every other path is then answered with 404. */
  readonly pages?: Readonly<Record<string, string | PageScript>>;
  /** The page at every path that has no other page, instead of 404. `{path}` is filled in. */
  readonly otherPages?: PageScript;
  /** Addresses with a key on a key server (`/vks/v1/by-email/`), which serves every domain. */
  readonly keyServer?: readonly string[];
  /** Addresses with an avatar (`/avatar/`), which is found by the hash of the address. */
  readonly avatars?: readonly string[];
  /** Responds to every request with this status. */
  readonly status?: number;
  /** Completes the TLS handshake but never responds to a request. */
  readonly silent?: boolean;
  /** Who signs the site's certificate; the lab's authority if omitted. */
  readonly certificate?: 'self_signed';
};

/** One page of a site: HTML unless its headers say otherwise. */
export type PageScript = {
  /** 200 if omitted. */
  readonly status?: number;
  /** Headers by lower-case name, such as `content-type`, `content-encoding` or `location`; the body is sent as it is. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** The delay before the answer. */
  readonly delayMs?: number;
  /** Repeats the body at this interval for as long as the client stays; 0 is as fast as the client reads. */
  readonly endlessEveryMs?: number;
};

/** A web host, or a name that leads to an address that the lab never serves. */
export type WebHostScript = WebScript | { readonly address: string };

export type Result = 'ok' | 'catch_all' | 'catch_all_validated' | 'invalid' | 'unknown';

export type ExpectedVerdict = {
  readonly address: string;
  readonly result: Result;
  /** The reason, as one snake_case word of the validator's vocabulary. */
  readonly reason: string;
};

export function isSmtpScript(host: HostScript): host is SmtpScript {
  return typeof host === 'object' && !('address' in host);
}

export function isWebScript(host: WebHostScript): host is WebScript {
  return !('address' in host);
}
