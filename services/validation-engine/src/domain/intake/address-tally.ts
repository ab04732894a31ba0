import { hash } from 'node:crypto';
import { findInSandbox, sandboxAddressesText } from '@mailproof/shared-types';
import { addressOfCell, type CellFault } from './address-of-cell.ts';
import { IntakeFault } from './intake-fault.ts';

/** The address of a row. */
export interface RowAddress {
  /** Null if the row has no address that can be validated. */
  readonly addressNo: number | null;
  readonly fault: CellFault | null;
  readonly isDuplicate: boolean;
}

/** An address that no earlier row has. */
export interface NewAddress {
  readonly addressNo: number;
  readonly email: string;
  /** In lower case and NFC; duplicates share this form. */
  readonly normalized: string;
}

export interface RowCounts {
  readonly total: number;
  readonly valid: number;
  readonly broken: number;
  readonly blank: number;
  readonly duplicate: number;
}

export interface AddressTally {
  /** Counts a row by its address cell. */
  count(cell: string): { readonly row: RowAddress; readonly isNew?: NewAddress };
  counts(): RowCounts;
  /** The number of distinct addresses. */
  addresses(): number;
  /** @throws IntakeFault if a test key sent an address that is not one of the sandbox */
  assertAllowed(): void;
}

/** How addresses are counted. */
export interface TallyRules {
  /**
   * Whether non-ASCII letters may differ from what the client wrote. An address with such letters is not probed: it
   * would be charged, and the client may not have written it (ADR 0056).
   */
  readonly encodingIsGuess?: () => boolean;
  /** True for a job of the sandbox, which has only the sandbox's addresses (ADR 0073). */
  readonly isSandbox?: boolean;
}

/** Text that reads the same in every encoding that we guess. */
const plain = /^[\x20-\x7e]*$/;

/**
 * Counts rows and finds duplicates by the lowercase normal form: a host may distinguish `Ada` from `ada` (RFC 5321
 * section 2.4), but hardly any does, and a list with both means one person. It stores digests instead of addresses, so
 * that fifty thousand of them take a few megabytes regardless of their length.
 */
export function createAddressTally({
  encodingIsGuess = () => false,
  isSandbox = false,
}: TallyRules = {}): AddressTally {
  const seen = new Map<string, number>();
  const counts = { total: 0, valid: 0, broken: 0, blank: 0, duplicate: 0 };
  let foreignRow: number | undefined;
  return {
    count(cell) {
      counts.total += 1;
      const found = addressOfCell(cell);
      if ('fault' in found) {
        counts[found.fault === 'blank' ? 'blank' : 'broken'] += 1;
        return { row: { addressNo: null, fault: found.fault, isDuplicate: false } };
      }
      const { input } = found.address;
      if (!plain.test(input) && encodingIsGuess()) {
        counts.broken += 1;
        return { row: { addressNo: null, fault: 'encoding_guessed', isDuplicate: false } };
      }
      if (isSandbox && !findInSandbox(found.address)) {
        foreignRow ??= counts.total;
      }
      counts.valid += 1;
      // Some lowercase letters compose where their uppercase forms do not, so NFC comes last.
      const normalized = found.address.normalized.toLowerCase().normalize('NFC');
      const digest = hash('sha256', normalized, 'base64').slice(0, 24);
      const known = seen.get(digest);
      if (known !== undefined) {
        counts.duplicate += 1;
        return { row: { addressNo: known, fault: null, isDuplicate: true } };
      }
      const addressNo = seen.size + 1;
      seen.set(digest, addressNo);
      return {
        row: { addressNo, fault: null, isDuplicate: false },
        isNew: { addressNo, email: input, normalized },
      };
    },
    counts: () => ({ ...counts }),
    addresses: () => seen.size,
    assertAllowed() {
      if (foreignRow !== undefined) {
        throw new IntakeFault(
          'not_a_sandbox_address',
          `Row ${foreignRow} has another address. ${sandboxAddressesText}`,
        );
      }
    },
  };
}
