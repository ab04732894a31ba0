import { Readable, Writable } from 'node:stream';
import type { Screen, Terminal } from '../terminal.ts';

export interface FakeTerminal extends Terminal {
  readonly written: () => string;
  readonly complained: () => string;
}

/** Records everything that is written to it. */
export function createFakeScreen(): Screen & { readonly text: () => string } {
  let text = '';
  const screen = new Writable({
    write(chunk, _encoding, done) {
      text += String(chunk);
      done();
    },
  });
  return Object.assign(screen, { text: () => text });
}

/** A terminal that is not a TTY and has no input. */
export function createFakeTerminal(changes: Partial<Terminal> = {}): FakeTerminal {
  const stdout = createFakeScreen();
  const stderr = createFakeScreen();
  return {
    stdin: Readable.from([]),
    stdout,
    stderr,
    environment: {},
    workingDirectory: '/',
    signal: new AbortController().signal,
    ...changes,
    written: stdout.text,
    complained: stderr.text,
  };
}
