import type { HostAddresses } from '../../dns/find-mail-hosts.ts';
import type { Finding } from './finding.ts';
import { listed } from './judge-network.ts';
import type { NameSeen, ReverseSeen } from './observations.ts';

/** Judges whether others can look up the name in our EHLO. */
export function judgeEhloName(seen: NameSeen | undefined, publicAddress: string | undefined): Finding {
  const check = 'ehlo_name';
  if (seen === undefined) {
    return {
      check,
      status: 'warning',
      sentence: 'No host name is set, so each session announces its IP address.',
      advice: 'Set VALIDATION_HELO_NAME to a name that resolves to the public address.',
    };
  }
  const { name, addresses } = seen;
  switch (addresses.kind) {
    case 'failure':
      return {
        check,
        status: 'cannot_tell',
        sentence: `${name} could not be looked up (${addresses.failure}).`,
        advice: 'Fix the name servers first.',
      };
    case 'nxdomain':
    case 'nodata':
      return {
        check,
        status: 'failed',
        sentence: `${name} has no address record, and many hosts reject such names.`,
        advice: `Publish an address record for ${name}, or set VALIDATION_HELO_NAME to a name that has one.`,
      };
    case 'addresses':
      break;
  }
  if (publicAddress !== undefined && !leadsTo(addresses, publicAddress)) {
    return {
      check,
      status: 'warning',
      sentence: `${name} resolves to ${listed(addresses.addresses)}, not to the public address ${publicAddress}.`,
      advice:
        'Point its address record to the public address, or set VALIDATION_HELO_NAME to a name with that address.',
    };
  }
  return { check, status: 'ok', sentence: `${name} resolves to ${listed(addresses.addresses)}.` };
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
  const askProvider = `Ask the provider of the address for a PTR record with ${ehloName ?? 'your host name'}.`;
  if (names.kind !== 'answer') {
    return { check, status: 'failed', sentence: `${address} has no PTR record.`, advice: askProvider };
  }
  const confirmed = forward.filter(({ addresses }) => leadsTo(addresses, address)).map(({ name }) => name);
  if (confirmed.length > 0) {
    return ehloName === undefined || confirmed.includes(ehloName.toLowerCase())
      ? { check, status: 'ok', sentence: `${address} is ${listed(confirmed)}, which resolves back to it.` }
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
        advice: 'Run the check again, or try another name server.',
      }
    : {
        check,
        status: 'failed',
        sentence: `${address} is ${listed(names.records)}, which does not resolve back to it.`,
        advice: `${askProvider} That name’s address record must contain ${address}.`,
      };
}

export function unknownAddress(check: Finding['check']): Finding {
  return {
    check,
    status: 'cannot_tell',
    sentence: 'The public address is unknown.',
    advice: 'Set it with --public-address.',
  };
}

function leadsTo(addresses: HostAddresses, address: string): boolean {
  return addresses.kind === 'addresses' && addresses.addresses.includes(address);
}
