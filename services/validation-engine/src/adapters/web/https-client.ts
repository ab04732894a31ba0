import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { connect, createSecureContext, getCACertificates } from 'node:tls';
import type { WebClient, WebOutcome, WebRequest } from '../../domain/catch-all/web-client.ts';
import { type Clock, type Deadline, isOver, within } from '../../domain/concurrency/deadline.ts';
import { resolveHost } from '../../domain/dns/find-mail-hosts.ts';
import type { MailDns } from '../../domain/dns/mail-dns.ts';
import type { AddressGuard } from '../../domain/validation/contact-hosts.ts';
import { readBody } from './read-body.ts';

export interface HttpsClientOptions {
  readonly dns: MailDns;
  readonly guard: AddressGuard;
  readonly clock: Clock;
  readonly port: number;
  /** Additional certificate authorities to trust, as PEM. */
  readonly extraCa: string | undefined;
  readonly userAgent: string;
  readonly requestTimeoutMs?: number;
  readonly bodyOctetsMax?: number;
}

/** A service that answers later than this is unlikely to run a directory that is in use. */
const requestTimeoutMsDefault = 4_000;
/** Larger than any key without photographs. */
const bodyOctetsMaxDefault = 256 * 1_024;
const httpsPort = 443;

/**
 * Reads over HTTPS. It resolves the name through our own DNS port and connects to exactly the address that the guard
 * allowed, so that a different answer to a second query cannot direct us to our own network.
 */
export function createHttpsClient({
  dns,
  guard,
  clock,
  port,
  extraCa,
  userAgent,
  requestTimeoutMs = requestTimeoutMsDefault,
  bodyOctetsMax = bodyOctetsMaxDefault,
}: HttpsClientOptions): WebClient {
  const secureContext = createSecureContext({
    ca: extraCa === undefined ? getCACertificates('default') : [...getCACertificates('default'), extraCa],
  });

  const failing = createFailingHosts(clock);

  function fetchFrom(address: string, { host, path, accept, octetsMax }: WebRequest, deadline: Deadline) {
    return new Promise<{ outcome: WebOutcome; answered: boolean }>(resolve => {
      let answered = false;
      // Without an agent, the connection belongs to this request alone. It goes to the address, while the certificate
      // must match the name.
      const asked = request({
        host,
        path,
        createConnection: () => connect({ host: address, port, servername: host, secureContext }),
        headers: {
          host: port === httpsPort ? host : `${host}:${port}`,
          accept,
          'accept-encoding': 'identity',
          'user-agent': userAgent,
        },
      });
      const settle = (outcome: WebOutcome) => {
        clearTimeout(timer);
        deadline.signal.removeEventListener('abort', fail);
        asked.destroy();
        resolve({ outcome, answered });
      };
      const fail = () => settle({ kind: 'failure' });
      const timer = setTimeout(fail, deadline.remainingMs());
      deadline.signal.addEventListener('abort', fail, { once: true });
      asked.on('error', fail);
      asked.on('response', response => {
        answered = true;
        const status = response.statusCode ?? 0;
        const headers = headersOf(response);
        readBody(response, octetsMax ?? bodyOctetsMax).then(
          body =>
            settle(body === undefined ? { kind: 'failure' } : { kind: 'response', status, headers, body }),
          fail,
        );
      });
      asked.end();
    });
  }

  return {
    async get(asked, outerDeadline) {
      const deadline = within(clock, outerDeadline, requestTimeoutMs);
      if (isOver(deadline) || failing.has(asked.host)) {
        return { kind: 'failure' };
      }
      const located = await resolveHost(dns, asked.host, deadline);
      if (located.kind === 'nxdomain' || located.kind === 'nodata') {
        return { kind: 'no_such_host' };
      }
      const addresses = located.kind === 'addresses' ? located.addresses : [];
      const allowed = addresses.map(guard).find(address => address.allowed);
      if (allowed?.allowed !== true || isOver(deadline)) {
        return { kind: 'failure' };
      }
      const { outcome, answered } = await fetchFrom(allowed.address, asked, deadline);
      // A failure because of an earlier deadline or a disconnected caller says nothing about the host.
      if (!answered && !isOver(outerDeadline)) {
        failing.add(asked.host);
      }
      return outcome;
    },
  };
}

function headersOf({ headers }: IncomingMessage): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}

/** Hosts that failed recently, so that a list with many addresses of one domain does not wait for them each time. */
interface FailingHosts {
  has(host: string): boolean;
  add(host: string): void;
}

const keptMs = 60_000;
const hostsMax = 10_000;

function createFailingHosts(clock: Clock): FailingHosts {
  const untilMs = new Map<string, number>();
  return {
    has: host => (untilMs.get(host) ?? 0) > clock.nowMs(),
    add(host) {
      untilMs.delete(host);
      untilMs.set(host, clock.nowMs() + keptMs);
      const [oldest] = untilMs.keys();
      if (untilMs.size > hostsMax && oldest !== undefined) {
        untilMs.delete(oldest);
      }
    },
  };
}
