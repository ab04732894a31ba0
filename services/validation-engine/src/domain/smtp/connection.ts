import type { Deadline } from '../concurrency/deadline.ts';
import type { Reply } from './reply.ts';

/** Why there is no reply. */
export type SmtpFailure =
  /** No TCP connection could be opened. */
  | 'unreachable'
  /** The proxy between us and the hosts could not be reached, refused us, or failed. */
  | 'proxy_failed'
  /** We have no address of the host's family, or no socket left, to connect from. */
  | 'no_local_address'
  /** Connected, but silent for longer than we wait. */
  | 'timeout'
  /** The host hung up. */
  | 'closed'
  /** The host sent something that is not SMTP, is longer than any reply may be, or was not asked for. */
  | 'garbled'
  /** The TLS handshake failed. */
  | 'tls_failed'
  /** We had no more sessions to spare for the host, and no slot became free in time. */
  | 'crowded_out';

export type SmtpOutcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'failure'; readonly failure: SmtpFailure };

/** An open connection to a mail host. No method rejects, and every wait ends. */
export interface SmtpConnection {
  /** Our end as an address literal (RFC 5321 section 4.1.3), for use if we have no name. */
  readonly localLiteral: string;
  /**
   * Sends command lines together, without waiting for replies. Returns what prevents this, in which case nothing was
   * sent: the host hung up, or sent an unsolicited reply. Without commands, it only checks for that.
   */
  send(commands: readonly string[]): SmtpOutcome | undefined;
  /** Waits for the next reply: the greeting, or the reply to the earliest command that has none yet. */
  listen(deadline: Deadline): Promise<SmtpOutcome>;
  /** Switches to TLS after the host agreed to it (RFC 3207); resolves to undefined on success. */
  startTls(serverName: string | undefined, deadline: Deadline): Promise<SmtpFailure | undefined>;
  close(): void;
}

export type ConnectOutcome =
  | { readonly kind: 'connected'; readonly connection: SmtpConnection }
  | { readonly kind: 'failure'; readonly failure: SmtpFailure };

/** Opens connections to addresses that the guard has allowed. */
export interface SmtpConnector {
  /** @param onSlow called once, if the host takes so long to connect that another one should be tried in parallel */
  connect(address: string, deadline: Deadline, onSlow?: () => void): Promise<ConnectOutcome>;
}
