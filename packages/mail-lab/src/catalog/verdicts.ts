import type { ExpectedVerdict } from '../script.ts';

export function exists(address: string): ExpectedVerdict {
  return { address, result: 'ok', reason: 'mailbox_exists' };
}

export function missing(address: string): ExpectedVerdict {
  return { address, result: 'invalid', reason: 'mailbox_missing' };
}

export function catchAll(address: string): ExpectedVerdict {
  return { address, result: 'catch_all', reason: 'catch_all' };
}

export function confirmed(address: string): ExpectedVerdict {
  return { address, result: 'catch_all_validated', reason: 'evidence_confirms' };
}

export function invalid(address: string, reason: string): ExpectedVerdict {
  return { address, result: 'invalid', reason };
}

export function unknown(address: string, reason: string): ExpectedVerdict {
  return { address, result: 'unknown', reason };
}
