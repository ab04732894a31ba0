/** What a look at the store says before changes are read. */
export interface Look {
  /** The highest number that was given to a change; asked for before the open transactions were. */
  readonly lastChangeNo: number;
  /** The transactions that are open, which may have changes nobody sees yet. */
  readonly open: ReadonlySet<string>;
}

/**
 * Says from which number on changes have to be read so that none is ever missed. Numbers are given in order but become
 * visible when their transaction ends, so a low one may appear after a high one. A transaction that is seen open for the
 * first time took its numbers after the look before; when it is gone, changes are read again from there.
 */
export class ChangeFloor {
  private lastChangeNo: number;
  /** For each open transaction the number after which all of its own are. */
  private readonly floors = new Map<string, number>();
  /** From where reading is still owed. */
  private owed = Number.POSITIVE_INFINITY;

  /** Of transactions that are open from before the first look nothing is known: they may have any number. */
  constructor(first: Look) {
    this.lastChangeNo = first.lastChangeNo;
    for (const transaction of first.open) {
      this.floors.set(transaction, 0);
    }
  }

  /** Answers the number after which changes are to be read now; all up to `lastChangeNo` of this look. */
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

  /** Everything that `advance` answered was read. Until then, it is owed again. */
  settle(): void {
    this.owed = Number.POSITIVE_INFINITY;
  }
}
