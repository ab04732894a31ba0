/** A sparse row: parallel lists, in ascending order of columns. */
export interface SparseRow {
  readonly columns: Int32Array;
  readonly values: Float32Array;
}

/** Sparse rows in flat memory; append-only. */
export class SparseRows {
  #starts = new Int32Array(1_024);
  #columns = new Int32Array(65_536);
  #values = new Float32Array(65_536);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  /** The number of values in all rows. */
  get size(): number {
    return this.#starts[this.#length] as number;
  }

  append(columns: ArrayLike<number>, values: ArrayLike<number>): void {
    const start = this.size;
    const end = start + columns.length;
    this.#makeRoom(end);
    this.#columns.set(columns, start);
    this.#values.set(values, start);
    this.#length++;
    this.#starts[this.#length] = end;
  }

  /** Returns a view of a row; writing to it changes the row. */
  row(index: number): SparseRow {
    const start = this.#starts[index] as number;
    const end = this.#starts[index + 1] as number;
    return { columns: this.#columns.subarray(start, end), values: this.#values.subarray(start, end) };
  }

  /** Returns the product of a row and a dense vector with a value for every column. */
  times(index: number, dense: Float32Array): number {
    const columns = this.#columns;
    const values = this.#values;
    const end = this.#starts[index + 1] as number;
    let sum = 0;
    for (let at = this.#starts[index] as number; at < end; at++) {
      sum += (values[at] as number) * (dense[columns[at] as number] as number);
    }
    return sum;
  }

  #makeRoom(size: number): void {
    if (this.#length + 2 > this.#starts.length) {
      this.#starts = grown(this.#starts, new Int32Array(this.#starts.length * 2));
    }
    if (size > this.#columns.length) {
      const length = Math.max(size, Math.ceil(this.#columns.length * 1.5));
      this.#columns = grown(this.#columns, new Int32Array(length));
      this.#values = grown(this.#values, new Float32Array(length));
    }
  }
}

function grown<Numbers extends Int32Array | Float32Array>(old: Numbers, larger: Numbers): Numbers {
  larger.set(old);
  return larger;
}
