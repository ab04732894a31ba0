/** A snapshot of the store taken before changes are read. */
export interface Look {
  /** The highest change number assigned; read before the open transactions. */
  readonly lastChangeNo: number;
  /** The open transactions, which may have changes that are not visible yet. */
  readonly open: ReadonlySet<string>;
}

/**
 * Computes the number from which changes must be read so that none is ever missed. Numbers are assigned in order but
 * become visible when their transaction ends, so a lower one may appear after a higher one. A transaction first seen
 * open took its numbers after the previous look; when it has ended, changes are read again from there.
 */
export class ChangeFloor {
  private lastChangeNo: number;
  /** For each open transaction, a number below all of its change numbers. */
  private readonly floors = new Map<string, number>();
  /** The number from which changes must still be read. */
  private owed = Number.POSITIVE_INFINITY;

  /** Transactions already open at the first look are unknown: they may have any number. */
  constructor(first: Look) {
    this.lastChangeNo = first.lastChangeNo;
    for (const transaction of first.open) {
      this.floors.set(transaction, 0);
    }
  }

  /** Returns the number after which changes must be read now, up to `lastChangeNo` of this look. */
  advance(look: Look): number {
    this.owed = Math.min(this.owed, this.lastChangeNo);
    for (const [transaction, floor] of this.floors) {
      if (!look.open.has(transaction)) {
        this.owed = Math.min(this.owed, floor);
        this.floors.delete(transaction);
      }
    }
    for (const transaction of look.open) {
      if (!this.floors.has(transaction)) {
        this.floors.set(transaction, this.lastChangeNo);
      }
    }
    this.lastChangeNo = look.lastChangeNo;
    return this.owed;
  }

  /** All changes up to this number are read: a successor that continues from here misses none. */
  get readUpTo(): number {
    return Math.min(this.owed, this.lastChangeNo, ...this.floors.values());
  }

  /** Marks everything after the result of `advance` as read. Until then, it must be read again. */
  settle(): void {
    this.owed = Number.POSITIVE_INFINITY;
  }
}
