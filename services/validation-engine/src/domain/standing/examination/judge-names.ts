import type { HostAddresses } from '../../dns/resolve-host.ts';
import type { Finding } from './finding.ts';
import { listed } from './judge-network.ts';
import type { NameSeen, ReverseSeen } from './observations.ts';

/** Whether the name that EHLO says is one that others can look up. */
export function judgeEhloName(seen: NameSeen | undefined, publicAddress: string | undefined): Finding {
  const check = 'ehlo_name';
  if (seen === undefined) {
    return {
      check,
      status: 'warning',
      sentence: 'No full name is set, so each session says the address of its own end.',
      advice: 'Set VALIDATION_HELO_NAME to a name whose address is the public one.',
    };
  }
  const { name, addresses } = seen;
  switch (addresses.kind) {
    case 'failure':
      return {
        check,
        status: 'cannot_tell',
        sentence: `${name} could not be looked up (${addresses.failure}).`,
        advice: 'See to the name servers first.',
      };
    case 'nxdomain':
    case 'nodata':
      return {
        check,
        status: 'failed',
        sentence: `${name} has no address, and many hosts refuse such names.`,
        advice: `Publish an address record of ${name}, or set VALIDATION_HELO_NAME to a name that has one.`,
      };
    case 'addresses':
      break;
  }
  if (publicAddress !== undefined && !leadsTo(addresses, publicAddress)) {
    return {
      check,
      status: 'warning',
      sentence: `${name} leads to ${listed(addresses.addresses)}, not to the public address ${publicAddress}.`,
      advice:
        'Let its address record hold the public address, or set VALIDATION_HELO_NAME to a name of that address.',
    };
  }
  return { check, status: 'ok', sentence: `${name} leads to ${listed(addresses.addresses)}.` };
}

/** Forward-confirmed reverse DNS: the address has a name that leads back to it (RFC 8601 section 2.7.3). */
export function judgeReverse(seen: ReverseSeen | undefined, ehloName: string | undefined): Finding {
  const check = 'reverse_dns';
  if (seen === undefined) {
    return unknownAddress(check);
  }
  const { address, names, forward } = seen;
  if (names.kind === 'failure') {
    return {
      check,
      status: 'cannot_tell',
      sentence: `The name of ${address} could not be looked up (${names.failure}).`,
      advice: 'Try another name server.',
    };
  }
  const askProvider = `Ask whoever the address belongs to for a PTR record that holds ${ehloName ?? 'a name of yours'}.`;
  if (names.kind !== 'answer') {
    return { check, status: 'failed', sentence: `${address} has no PTR record.`, advice: askProvider };
  }
  const confirmed = forward.filter(({ addresses }) => leadsTo(addresses, address)).map(({ name }) => name);
  if (confirmed.length > 0) {
    return ehloName === undefined || confirmed.includes(ehloName.toLowerCase())
      ? { check, status: 'ok', sentence: `${address} is ${listed(confirmed)}, and that leads back to it.` }
      : {
          check,
          status: 'warning',
          sentence: `${address} is ${listed(confirmed)}, but EHLO says ${ehloName}.`,
          advice: `Set VALIDATION_HELO_NAME=${confirmed[0]}, or change the PTR record.`,
        };
  }
  return forward.some(({ addresses }) => addresses.kind === 'failure')
    ? {
        check,
        status: 'cannot_tell',
        sentence: `${address} is ${listed(names.records)}, whose address could not be looked up.`,
        advice: 'Run it again, or try another name server.',
      }
    : {
        check,
        status: 'failed',
        sentence: `${address} is ${listed(names.records)}, which does not lead back to it.`,
        advice: `${askProvider} That name's address record must hold ${address}.`,
      };
}

export function unknownAddress(check: Finding['check']): Finding {
  return {
    check,
    status: 'cannot_tell',
    sentence: 'The public address is not known.',
    advice: 'Give it with --public-address.',
  };
}

function leadsTo(addresses: HostAddresses, address: string): boolean {
  return addresses.kind === 'addresses' && addresses.addresses.includes(address);
}
