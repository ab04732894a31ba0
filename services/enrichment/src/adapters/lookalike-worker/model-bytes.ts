/** Flat numbers as Postgres keeps them: little-endian, as every processor that Node runs on has them. */
export function bytesOf(numbers: Float32Array | Int32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength);
}

export function floatsOf(bytes: Buffer): Float32Array {
  return new Float32Array(aligned(bytes));
}

export function integersOf(bytes: Buffer): Int32Array {
  return new Int32Array(aligned(bytes));
}

/** Pieces of a buffer at most so long. */
export function piecesOf(bytes: Buffer, lengthMax: number): Buffer[] {
  const pieces: Buffer[] = [];
  for (let start = 0; start < bytes.length; start += lengthMax) {
    pieces.push(bytes.subarray(start, start + lengthMax));
  }
  return pieces;
}

/** A copy of its own, because what the driver answers begins anywhere in its buffer. */
function aligned(bytes: Buffer): ArrayBuffer {
  const copy = new ArrayBuffer(bytes.length);
  new Uint8Array(copy).set(bytes);
  return copy;
}
