import type { DnsAnswer } from '../../dns/mail-dns.ts';
import type { Finding } from './finding.ts';
import { unknownAddress } from './judge-names.ts';
import type { BlockListSeen } from './observations.ts';

/** One finding for each list. */
export function judgeBlockLists(
  seen: readonly BlockListSeen[] | undefined,
  publicAddress: string | undefined,
): Finding[] {
  return seen === undefined || publicAddress === undefined
    ? [unknownAddress('block_lists')]
    : seen.map(each => judgeBlockList(each, publicAddress));
}

function judgeBlockList({ list, own, test }: BlockListSeen, address: string): Finding {
  const check = 'block_lists';
  const errors = [...recordsOf(own), ...recordsOf(test)].filter(
    record => list.errorPrefix !== undefined && record.startsWith(list.errorPrefix),
  );
  if (errors.length > 0) {
    return {
      check,
      status: 'cannot_tell',
      sentence: `${list.name} refuses to answer this name server (${errors[0]}).`,
      advice: list.terms,
    };
  }
  // A list without its test entry says nothing: "not listed" may then mean that we may not ask.
  if (!recordsOf(test).some(isListing)) {
    return {
      check,
      status: 'cannot_tell',
      sentence: `${list.name} does not return its own test entry (${outcomeOf(test)}), so its answer is inconclusive.`,
      advice: list.terms,
    };
  }
  if (own.kind === 'nxdomain' || own.kind === 'nodata') {
    return { check, status: 'ok', sentence: `${list.name} does not list ${address}.` };
  }
  const listings = recordsOf(own).filter(isListing);
  if (listings.length > 0) {
    return {
      check,
      status: 'failed',
      sentence: `${list.name} lists ${address} (${listings.join(', ')}), so many hosts will reject it.`,
      advice: `Find the reason, and request removal, at ${list.lookupUrl}`,
    };
  }
  return {
    check,
    status: 'cannot_tell',
    sentence: `${list.name} gave no readable answer about ${address} (${outcomeOf(own)}).`,
    advice: 'Run the check again, or try another name server.',
  };
}

/**
 * List entries are loopback addresses; anything else comes from a resolver that invents answers (RFC 5782 section 2.1).
 */
function isListing(record: string): boolean {
  return record.startsWith('127.');
}

function recordsOf(answer: DnsAnswer<string>): readonly string[] {
  return answer.kind === 'answer' ? answer.records : [];
}

function outcomeOf(answer: DnsAnswer<string>): string {
  switch (answer.kind) {
    case 'answer':
      return answer.records.join(', ');
    case 'failure':
      return answer.failure;
    default:
      return answer.kind;
  }
}
