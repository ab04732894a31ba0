import type { Finding } from './finding.ts';
import type { DomainSeen, HostSeen, PublicAddressSeen, ResolverSeen } from './observations.ts';

/** Each validation asks several questions one after the other, so slow answers use up its time. */
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
        advice: 'Set VALIDATION_DNS_SERVERS.',
      },
    ];
  }
  // One answer is enough; if a domain that certainly exists is not found, there is no internet.
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
          ? 'Remove it from VALIDATION_DNS_SERVERS or repair it: every query to it costs time.'
          : 'This machine may be offline, or the name servers may be wrong: set VALIDATION_DNS_SERVERS. Without a working name server every address is unknown.',
      };
    }
    if (answer.kind !== 'answer') {
      return {
        check,
        status: worse,
        sentence: `${server} says that ${domain} has no MX record (${answer.kind}).`,
        advice:
          'If the domain does receive mail, this name server filters answers or is offline: set VALIDATION_DNS_SERVERS.',
      };
    }
    return elapsedMs > slowAnswerMs
      ? {
          check,
          status: 'warning',
          sentence: `${server} responds slowly, in ${duration}.`,
          advice: 'Use a nearby resolver, preferably one on this machine.',
        }
      : { check, status: 'ok', sentence: `${server} responds in ${duration}.` };
  });
}

/** Judges whether mail hosts can be reached: one host that greets shows that the way is open. */
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
      sentence: `Port ${port} is open, but ${refusing.host} rejects us: "${refusing.code} ${refusing.text}".`,
      advice: 'Read its message; usually the public address is on a block list or has no host name.',
    };
  }
  if (welcoming.length > 0) {
    const times = welcoming.map(({ host, elapsedMs }) => `${host} greets after ${Math.round(elapsedMs)} ms`);
    const missing = silent.map(({ host }) => host);
    return {
      check,
      status: missing.length > 0 ? 'warning' : 'ok',
      sentence: `Port ${port} is open: ${listed(times)}.${missing.length > 0 ? ` No greeting from ${listed(missing)}.` : ''}`,
      ...(missing.length > 0 && {
        advice: 'Run the check again; a host that never sends a greeting may block this network.',
      }),
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
      ? `Connections to port ${port} open, but no host sends a greeting (${names}).`
      : `No mail host can be reached at port ${port} (${names}).`,
    advice: isOpened
      ? 'A firewall or mail proxy may intercept the connections; contact your network administrator.'
      : 'The network is offline, or its provider blocks this port: ask to open it, or run this elsewhere. Until then every address with a mail host is unknown, connection_failed.',
  };
}

function judgeNothing(domains: readonly DomainSeen[], port: number): Finding {
  const names = listed(domains.map(({ domain }) => domain));
  return {
    check: 'port_25',
    status: 'cannot_tell',
    sentence: `No mail host of ${names} could be looked up, so port ${port} was not tested.`,
    advice: 'Fix the name servers first, or use other domains with --probe-domain.',
  };
}

export function judgePublicAddress(seen: PublicAddressSeen): Finding {
  const check = 'public_address';
  switch (seen.kind) {
    case 'given':
      return { check, status: 'ok', sentence: `${seen.address}, as specified.` };
    case 'echoed':
      return seen.addresses.length === 1
        ? { check, status: 'ok', sentence: `${seen.addresses[0]}, as ${listed(seen.hosts)} sees it.` }
        : {
            check,
            status: 'warning',
            sentence: `Mail hosts see different addresses: ${listed(seen.addresses)}. The first one is checked.`,
            advice: 'Check the others too, each with --public-address.',
          };
    case 'unknown':
      return {
        check,
        status: 'cannot_tell',
        sentence: 'No mail host reported the address it sees.',
        advice: 'Set it with --public-address.',
      };
  }
}

export function listed(parts: readonly string[]): string {
  return new Intl.ListFormat('en').format(parts);
}
