import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createTcpConnector } from '../src/adapters/smtp/tcp-connector.ts';
import { deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { RecipientAnswer, RecipientQuestion } from '../src/domain/smtp/pool/recipient-asker.ts';
import { createSessionPool, type SessionPool } from '../src/domain/smtp/pool/session-pool.ts';

let aheadMs = 0;

/** The clock of the sessions, which tests can move forward. */
export const clock = { nowMs: () => performance.now() + aheadMs };

export function passTime(ms: number): void {
  aheadMs += ms;
}

const servers: Server[] = [];
const pools: SessionPool[] = [];

/** Closes every pool and every host that was opened here. */
export async function closeAll(): Promise<void> {
  await Promise.all(pools.splice(0).map(pool => pool.close()));
  for (const server of servers.splice(0)) {
    server.close();
  }
}

/** One session, as the host sees it. */
export interface Visit {
  readonly socket: Socket;
  /** Recipients asked about so far, including this one. */
  recipients: number;
  /** Transactions started so far, including this one. */
  transactions: number;
  /** Whether the last lines arrived together. */
  isHurried: boolean;
}

/** A host's reply to a line; undefined if it stays silent or has replied already. */
export type Manner = (line: string, visit: Visit) => string | undefined;

export interface UnrulyHost {
  readonly port: number;
  readonly visits: readonly Visit[];
}

/** Starts a host that processes lines one at a time and replies as the test specifies. */
export async function serve(manner: Manner): Promise<UnrulyHost> {
  const visits: Visit[] = [];
  const server = createServer(socket => {
    const visit = { socket, recipients: 0, transactions: 0, isHurried: false };
    visits.push(visit);
    let rest = '';
    const hear = (line: string) => {
      visit.transactions += line.startsWith('MAIL') ? 1 : 0;
      visit.recipients += line.startsWith('RCPT') ? 1 : 0;
      const said = manner(line, visit);
      if (said !== undefined && socket.writable) {
        socket.write(`${said}\r\n`);
      }
    };
    socket
      .on('error', () => undefined)
      .on('data', octets => {
        const lines = `${rest}${octets}`.split('\r\n');
        rest = lines.pop() ?? '';
        visit.isHurried = lines.length > 1;
        lines.forEach(hear);
      });
    hear('');
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, visits };
}

/**
 * The replies of a well-behaved host: it knows every recipient whose local part begins with `here`, and names the
 * recipient in its reply.
 */
export function orderly(line: string): string {
  const [, localPart, domain] = /^RCPT TO:<(.*)@(.*)>$/.exec(line) ?? [];
  if (localPart !== undefined) {
    return localPart.startsWith('here')
      ? '250 2.1.5 Recipient ok'
      : `550 5.1.1 <${localPart}@${domain}> unknown`;
  }
  switch (line.split(/[ :]/, 1)[0]) {
    case '':
      return '220 mx.d.example ESMTP';
    case 'EHLO':
      return '250-mx.d.example\r\n250-PIPELINING\r\n250 SMTPUTF8';
    case 'MAIL':
      return '250 2.1.0 Sender ok';
    case 'RSET':
      return '250 2.0.0 Reset';
    case 'QUIT':
      return '221 Bye';
    default:
      return '502 5.5.1 What?';
  }
}

export function poolAt({ port }: UnrulyHost, sessionsPerHostMax = 5): SessionPool {
  const pool = createSessionPool({
    connector: createTcpConnector(port),
    clock,
    heloName: 'probe.checker.example',
    mailFrom: '',
    sessionsPerHostMax,
    sessionsMax: 50,
  });
  pools.push(pool);
  return pool;
}

export function ask(
  pool: SessionPool,
  localPart: string,
  domain = 'd.example',
  timeoutMs = 60_000,
): Promise<RecipientAnswer> {
  const question: RecipientQuestion = {
    address: '127.0.0.1',
    serverName: undefined,
    provider: undefined,
    localPart,
    domain,
    international: false,
    alone: false,
  };
  return pool.ask(question, deadlineAfter(clock, timeoutMs, new AbortController().signal));
}

export const findingOf = (answer: RecipientAnswer) => ('finding' in answer ? answer.finding : answer.kind);

/** Asks about all recipients at once, and returns the finding for each. */
export async function findingsOf(pool: SessionPool, recipients: readonly string[]): Promise<string[]> {
  return Promise.all(
    recipients.map(async recipient => {
      const [localPart = '', domain] = recipient.split('@');
      return `${recipient} ${findingOf(await ask(pool, localPart, domain))}`;
    }),
  );
}
