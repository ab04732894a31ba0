import { createServer } from 'node:net';
import type { SecureContext } from 'node:tls';
import { closeListener, listen } from '../addresses.ts';
import { noSmtpCounts, type SmtpCounts } from '../counts.ts';
import type { SmtpScript } from '../script.ts';
import type { SmtpHost } from './replies.ts';
import { SmtpSession } from './session.ts';

export type SmtpServer = {
  readonly name: string;
  counts(): SmtpCounts;
  /** Resets the counts, but not the open sessions. */
  resetCounts(): void;
  close(): Promise<void>;
};

export type SmtpServerOptions = {
  readonly name: string;
  readonly script: SmtpScript;
  readonly domains: ReadonlySet<string>;
  readonly address: string;
  readonly port: number;
  readonly secureContext: SecureContext;
  readonly roundTripMs: () => number;
  readonly onUnscripted: (what: string) => void;
  /** The clock for greylisting, in monotonic milliseconds. */
  readonly now?: () => number;
};

/**
 * Serves one host's script to every client.
 *
 * @throws the bind error (`EADDRINUSE`, `EACCES`, `EADDRNOTAVAIL`)
 */
export async function startSmtpServer(options: SmtpServerOptions): Promise<SmtpServer> {
  const { name, script, domains, onUnscripted, secureContext, roundTripMs } = options;
  const sessions = new Set<SmtpSession>();
  const host: SmtpHost = {
    name,
    script,
    domains,
    onUnscripted,
    greylist: new Map(),
    refused: 0,
    asked: 0,
    counts: noSmtpCounts(),
    now: options.now ?? (() => performance.now()),
  };

  const server = createServer({ noDelay: true }, socket => {
    host.counts.connections += 1;
    host.counts.sessionsOpen += 1;
    host.counts.sessionsPeak = Math.max(host.counts.sessionsPeak, host.counts.sessionsOpen);
    const session = new SmtpSession(socket, {
      host,
      secureContext,
      roundTripMs,
      onHungUp: () => {
        host.counts.sessionsOpen -= 1;
      },
      onEnd: () => {
        sessions.delete(session);
      },
    });
    sessions.add(session);
  });
  await listen(server, options.address, options.port);

  return {
    name,
    counts: () => structuredClone(host.counts),
    resetCounts: () => {
      host.counts = noSmtpCounts(host.counts.sessionsOpen);
    },
    close: async () => {
      for (const session of [...sessions]) session.destroy();
      await closeListener(server);
    },
  };
}
