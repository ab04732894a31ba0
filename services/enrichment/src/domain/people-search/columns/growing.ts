/** A column of whole numbers that grows by a quarter when it is full. */
export class Column {
  numbers: Uint32Array<ArrayBuffer>;

  constructor(capacity: number) {
    this.numbers = new Uint32Array(capacity);
  }

  /** Makes room for so many rows. */
  reserve(rows: number): void {
    if (rows > this.numbers.length) {
      const grown = new Uint32Array(Math.max(rows, Math.ceil(this.numbers.length * 1.25), 1_024));
      grown.set(this.numbers);
      this.numbers = grown;
    }
  }
}
