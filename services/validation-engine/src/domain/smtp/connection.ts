import type { Deadline } from '../deadline.ts';
import type { Reply } from './reply.ts';

/** Why there is no reply. */
export type SmtpFailure =
  /** No TCP connection came about. */
  | 'unreachable'
  /** The proxy between us and the hosts could not be reached, refused us, or failed. */
  | 'proxy_failed'
  /** We have no address of the host's family, or no socket left, to connect from. */
  | 'no_local_address'
  /** Connected, but silent for longer than we wait. */
  | 'timeout'
  /** The host hung up. */
  | 'closed'
  /** What came is not SMTP, is longer than any reply may be, or came without being asked for. */
  | 'garbled'
  /** The TLS handshake failed. */
  | 'tls_failed'
  /** So many of our own sessions are at the host that no place came free in time. */
  | 'crowded_out';

export type SmtpOutcome =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'failure'; readonly failure: SmtpFailure };

/** An open connection to a mail host. Nothing here rejects, and every wait has an end. */
export interface SmtpConnection {
  /** Our end as an address literal (RFC 5321 section 4.1.3), for hosts without a name of their own. */
  readonly localLiteral: string;
  /**
   * Sends command lines together, without waiting for replies. Answers what stands in the way, in which case nothing
   * was sent: the host has gone, or has said something unasked. With no commands it only looks for that.
   */
  send(commands: readonly string[]): SmtpOutcome | undefined;
  /** Waits for the next reply: the greeting, or the one to the earliest command that has none yet. */
  listen(deadline: Deadline): Promise<SmtpOutcome>;
  /** Goes over to TLS after the host agreed to it (RFC 3207); undefined when that succeeded. */
  startTls(serverName: string | undefined, deadline: Deadline): Promise<SmtpFailure | undefined>;
  close(): void;
}

export type ConnectOutcome =
  | { readonly kind: 'connected'; readonly connection: SmtpConnection }
  | { readonly kind: 'failure'; readonly failure: SmtpFailure };

/** Opens connections to addresses that the guard has let through. */
export interface SmtpConnector {
  /** @param onSlow told, once, where the host takes so long to connect that another one should be tried beside it */
  connect(address: string, deadline: Deadline, onSlow?: () => void): Promise<ConnectOutcome>;
}
