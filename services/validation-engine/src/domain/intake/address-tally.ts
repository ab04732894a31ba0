import { hash } from 'node:crypto';
import { addressOfCell, type CellFault } from './address-of-cell.ts';

/** What a row is about. */
export interface RowAddress {
  /** Null where there is no address that can be asked about. */
  readonly addressNo: number | null;
  readonly fault: CellFault | null;
  readonly isDuplicate: boolean;
}

/** An address that stood in no row before. */
export interface NewAddress {
  readonly addressNo: number;
  readonly email: string;
  /** In lower case and NFC: duplicates have the same. */
  readonly normalised: string;
}

export interface RowCounts {
  readonly total: number;
  readonly valid: number;
  readonly broken: number;
  readonly blank: number;
  readonly duplicate: number;
}

export interface AddressTally {
  /** Counts a row by the cell that has its address. */
  count(cell: string): { readonly row: RowAddress; readonly isNew?: NewAddress };
  counts(): RowCounts;
  /** Different addresses. */
  addresses(): number;
}

/** Reads the same in every encoding that is guessed. */
const plain = /^[\x20-\x7e]*$/;

/**
 * Counts rows and tells duplicates by the normalised address in small letters: a host may tell `Ada` from `ada` (RFC 5321
 * section 2.4), but hardly any does, and nobody who has both in a list means two people. Digests are kept of the addresses and not they themselves,
 * so that fifty thousand of them take a few megabytes however long they are.
 *
 * @param encodingIsGuess whether the letters that come in beyond ASCII may be others than the client wrote. An address
 *   that has some is not asked about: it would be charged, and the client may not have written it (ADR 0056)
 */
export function createAddressTally(encodingIsGuess: () => boolean = () => false): AddressTally {
  const seen = new Map<string, number>();
  const counts = { total: 0, valid: 0, broken: 0, blank: 0, duplicate: 0 };
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
      counts.valid += 1;
      // Small letters can compose where large ones do not, so NFC comes last.
      const normalised = found.address.normalised.toLowerCase().normalize('NFC');
      const digest = hash('sha256', normalised, 'base64').slice(0, 24);
      const known = seen.get(digest);
      if (known !== undefined) {
        counts.duplicate += 1;
        return { row: { addressNo: known, fault: null, isDuplicate: true } };
      }
      const addressNo = seen.size + 1;
      seen.set(digest, addressNo);
      return {
        row: { addressNo, fault: null, isDuplicate: false },
        isNew: { addressNo, email: input, normalised },
      };
    },
    counts: () => ({ ...counts }),
    addresses: () => seen.size,
  };
}
