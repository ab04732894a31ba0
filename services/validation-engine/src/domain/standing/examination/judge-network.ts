import type { Finding } from './finding.ts';
import type { DomainSeen, HostSeen, PublicAddressSeen, ResolverSeen } from './observations.ts';

/** Each validation asks several questions one after the other, so slow answers eat its time. */
const slowAnswerMs = 1_000;

/** One finding for each name server. */
export function judgeResolvers(resolvers: readonly ResolverSeen[]): Finding[] {
  const check = 'resolvers';
  if (resolvers.length === 0) {
    return [
      {
        check,
        status: 'failed',
        sentence: 'This machine has no name server.',
        advice: 'Name some in VALIDATION_DNS_SERVERS.',
      },
    ];
  }
  // One that answers makes up for the others; a domain that everybody knows and nobody finds means no internet.
  const someAnswer = resolvers.some(({ answer }) => answer.kind === 'answer');
  const worse = someAnswer ? 'warning' : 'failed';
  return resolvers.map(({ server, domain, answer, elapsedMs }): Finding => {
    const duration = `${Math.round(elapsedMs)} ms`;
    if (answer.kind === 'failure') {
      return {
        check,
        status: worse,
        sentence: `${server} did not resolve ${domain} (${answer.failure}, ${duration}).`,
        advice: someAnswer
          ? 'Take it out of VALIDATION_DNS_SERVERS or repair it: each question that it gets costs time.'
          : 'This machine may have no internet, or the name servers are wrong: set VALIDATION_DNS_SERVERS. Without one that answers every address is unknown.',
      };
    }
    if (answer.kind !== 'answer') {
      return {
        check,
        status: worse,
        sentence: `${server} says that ${domain} has no MX record (${answer.kind}).`,
        advice:
          'If the domain does take mail, this name server filters, or knows nothing of the internet: set VALIDATION_DNS_SERVERS.',
      };
    }
    return elapsedMs > slowAnswerMs
      ? {
          check,
          status: 'warning',
          sentence: `${server} answers, but takes ${duration}.`,
          advice: 'Use a resolver nearby, best one on this machine.',
        }
      : { check, status: 'ok', sentence: `${server} answers in ${duration}.` };
  });
}

/** Whether mail hosts can be reached: a single one that greets shows that the way is open. */
export function judgePort(domains: readonly DomainSeen[], port: number): Finding {
  const check = 'port_25';
  const hosts = domains.flatMap(domain => domain.hosts);
  const greeted = hosts.filter(host => host.kind === 'greeted');
  const silent = hosts.filter(host => host.kind === 'not_greeted');
  const welcoming = greeted.filter(({ code }) => code === 220);
  const refusing = greeted.find(({ code }) => code !== 220);
  if (refusing !== undefined) {
    return {
      check,
      status: 'warning',
      sentence: `Port ${port} is open, but ${refusing.host} turns us away: "${refusing.code} ${refusing.text}".`,
      advice: 'Read what it says; most often the public address is on a block list or has no name.',
    };
  }
  if (welcoming.length > 0) {
    const times = welcoming.map(({ host, elapsedMs }) => `${host} greets after ${Math.round(elapsedMs)} ms`);
    const missing = silent.map(({ host }) => host);
    return {
      check,
      status: missing.length > 0 ? 'warning' : 'ok',
      sentence: `Port ${port} is open: ${listed(times)}.${missing.length > 0 ? ` No greeting from ${listed(missing)}.` : ''}`,
      ...(missing.length > 0 && { advice: 'Run it again; a host that never greets may block this network.' }),
    };
  }
  return silent.length > 0 ? judgeSilence(silent, port) : judgeNothing(domains, port);
}

function judgeSilence(silent: readonly Extract<HostSeen, { kind: 'not_greeted' }>[], port: number): Finding {
  const names = listed(silent.map(({ host }) => host));
  const isOpened = silent.some(({ failure }) => failure !== 'unreachable');
  return {
    check: 'port_25',
    status: 'failed',
    sentence: isOpened
      ? `Connections to port ${port} come about, but nobody greets (${names}).`
      : `No mail host can be reached at port ${port} (${names}).`,
    advice: isOpened
      ? 'Something in between takes the connections, such as a firewall or a proxy for mail; ask who runs the network.'
      : 'The network has no way out, or its provider closes this port: ask for it to be opened, or run this elsewhere. Until then every address with a mail host is unknown, connection_failed.',
  };
}

function judgeNothing(domains: readonly DomainSeen[], port: number): Finding {
  const names = listed(domains.map(({ domain }) => domain));
  return {
    check: 'port_25',
    status: 'cannot_tell',
    sentence: `No mail host of ${names} could be looked up, so nobody was asked at port ${port}.`,
    advice: 'See to the name servers first, or name other domains with --probe-domain.',
  };
}

export function judgePublicAddress(seen: PublicAddressSeen): Finding {
  const check = 'public_address';
  switch (seen.kind) {
    case 'given':
      return { check, status: 'ok', sentence: `${seen.address}, as given.` };
    case 'echoed':
      return seen.addresses.length === 1
        ? { check, status: 'ok', sentence: `${seen.addresses[0]}, as ${listed(seen.hosts)} sees it.` }
        : {
            check,
            status: 'warning',
            sentence: `Mail hosts see different addresses: ${listed(seen.addresses)}. The first one is looked at.`,
            advice: 'Look at the others too, each with --public-address.',
          };
    case 'unknown':
      return {
        check,
        status: 'cannot_tell',
        sentence: 'No mail host said from which address it sees us.',
        advice: 'Give it with --public-address.',
      };
  }
}

export function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en').format(parts);
}
