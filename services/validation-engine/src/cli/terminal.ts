import type { Readable, Writable } from 'node:stream';
import { styleText } from 'node:util';

/** Everything through which a command touches its surroundings, so that tests can stand in for them. */
export interface Terminal {
  readonly stdin: Readable;
  readonly stdout: Screen;
  readonly stderr: Screen;
  readonly environment: NodeJS.ProcessEnv;
  /** Where relative paths begin. */
  readonly workingDirectory: string;
  /** Aborted when the user wants the command to end. */
  readonly signal: AbortSignal;
}

/** A stream that may be a terminal. */
export type Screen = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type Colour = 'green' | 'red' | 'yellow' | 'dim';

/** A command that cannot be carried out as it was given, in a sentence. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Writes and waits until the stream has taken it, so that a slow reader slows the work down. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()));
  });
}

/** Colours on terminals only, and not where NO_COLOR is set (no-color.org). */
export function paint(text: string, colour: Colour, screen: Screen, environment: NodeJS.ProcessEnv): string {
  return screen.isTTY === true && !environment['NO_COLOR']
    ? styleText(colour, text, { validateStream: false })
    : text;
}

/** Lists and banners come from strangers: what they hold must not steer the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}
