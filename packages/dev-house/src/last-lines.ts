import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const tailBytesMax = 16_384;

/** The end of a log, for an error message; empty when there is no such log. */
export function lastLines(file: string, linesMax = 15): string {
  let descriptor: number;
  try {
    descriptor = openSync(file, 'r');
  } catch {
    return '';
  }
  try {
    const { size } = fstatSync(descriptor);
    const tail = Buffer.alloc(Math.min(size, tailBytesMax));
    readSync(descriptor, tail, 0, tail.length, size - tail.length);
    return tail.toString('utf8').trimEnd().split('\n').slice(-linesMax).join('\n');
  } finally {
    closeSync(descriptor);
  }
}
