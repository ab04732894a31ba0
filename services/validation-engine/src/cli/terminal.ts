import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/** All access of a command to its environment, so that tests can replace it. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly environment: NodeJS.ProcessEnv;
  /** The base of relative paths. */
  readonly workingDirectory: string;
  /** Aborted when the user wants the command to end. */
  readonly signal: AbortSignal;
}

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type Color = 'green' | 'red' | 'yellow' | 'dim';

/** A command that cannot run as given; the message is a sentence that says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes, and waits until the stream has accepted the text, so that a slow reader slows down the work. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()));
  });
}

/** Colors on terminals only, and not if NO_COLOR is set (no-color.org). */
export function paint(text: string, color: Color, screen: Screen, environment: NodeJS.ProcessEnv): string {
  return screen.isTTY === true && !environment['NO_COLOR']
    ? styleText(color, text, { validateStream: false })
    : text;
}

/** Replaces control characters: lists and banners come from strangers, and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** The exit codes for scripts, documented in docs/command-line.md and in `--help`. */
export const exitCodes = {
  good: 0,
  /** A result of `--fail-on`, or a failed check. */
  bad: 1,
  usage: 2,
  interrupted: 130,
} as const;
