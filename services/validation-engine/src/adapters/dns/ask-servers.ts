import { type Clock, type Deadline, isOver, within } from '../../domain/deadline.ts';
import type { DnsFailure } from '../../domain/dns/mail-dns.ts';
import type { Exchange } from './exchange.ts';
import { exchangeOverTcp } from './exchange-over-tcp.ts';
import { exchangeOverUdp } from './exchange-over-udp.ts';
import type { NameServer } from './name-servers.ts';
import { createQuery } from './query.ts';
import type { Reading } from './read-response.ts';
import type { RecordType } from './record-lookup.ts';

/** What is left of a reading once the ways of asking have been gone through. */
export type Finding<Type extends RecordType> = Exclude<
  Reading<Type>,
  { readonly kind: 'truncated' | 'perhaps_without_edns' }
>;

/** One exchange waits this long before the next; the deadline ends all of them. */
const exchangeTimeoutMs = 2_000;
const triesOfServerMax = 3;
const triesMax = 6;

/** What servers said outweighs what they did not: a broken answer tells more than none. */
const failuresByWeight = ['servfail', 'refused', 'malformed', 'timeout'] as const;

/**
 * Asks one server after the other until one has something to say about the name. A datagram may be lost, so silent
 * servers are asked again after the others; those that said why they cannot answer are not.
 */
export async function askServers<Type extends RecordType>(
  servers: readonly NameServer[],
  name: string,
  type: Type,
  clock: Clock,
  deadline: Deadline,
): Promise<Finding<Type>> {
  const heard = new Set<DnsFailure>(['timeout']);
  const waiting = [...servers];
  for (let tries = 0; tries < Math.min(triesMax, servers.length * triesOfServerMax); tries += 1) {
    const server = waiting.shift();
    if (server === undefined || isOver(deadline)) {
      break;
    }
    const finding = await askServer(server, name, type, clock, deadline);
    if (finding.kind !== 'failure') {
      return finding;
    }
    heard.add(finding.failure);
    if (finding.failure === 'timeout' || finding.failure === 'malformed') {
      waiting.push(server);
    }
  }
  return { kind: 'failure', failure: failuresByWeight.find(failure => heard.has(failure)) ?? 'timeout' };
}

/**
 * Asks with EDNS in a datagram, without it where it is not understood, and over TCP where the answer is too long:
 * four exchanges at most, because neither is ever taken back.
 */
async function askServer<Type extends RecordType>(
  server: NameServer,
  name: string,
  type: Type,
  clock: Clock,
  deadline: Deadline,
): Promise<Finding<Type>> {
  let exchange: Exchange = exchangeOverUdp;
  let hasEdns = true;
  for (;;) {
    const query = { ...createQuery(name, type, hasEdns), type };
    const reading = await exchange(server, query, within(clock, deadline, exchangeTimeoutMs));
    if (reading.kind === 'truncated') {
      if (exchange === exchangeOverTcp) {
        return { kind: 'failure', failure: 'malformed' };
      }
      exchange = exchangeOverTcp;
    } else if (reading.kind === 'perhaps_without_edns') {
      if (!hasEdns) {
        return { kind: 'failure', failure: reading.failure };
      }
      hasEdns = false;
    } else {
      return reading as Finding<Type>;
    }
  }
}
