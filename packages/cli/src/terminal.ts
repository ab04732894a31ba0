import type { Readable, Writable } from 'node:stream';
import type { MailproofError, Schema } from '@mailproof/sdk';

/** All access of a command to its environment, so that tests can replace it. */
export interface Terminal {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable & { readonly isTTY?: boolean };
  readonly environment: NodeJS.ProcessEnv;
  /** The base of relative paths. */
  readonly workingDirectory: string;
  /** Aborted when the user wants the command to end. */
  readonly signal: AbortSignal;
}

export type Result = Schema['EmailValidation']['result'];

/** The options of `mailproof validate`. */
export interface ValidateOptions {
  readonly output?: string;
  readonly column?: string;
  readonly sheet?: string;
  readonly delimiter?: string;
  readonly encoding?: string;
  readonly maxCredits?: number;
  /** In minutes. */
  readonly finishAfter?: number;
  readonly yes?: true;
  readonly force?: true;
  readonly json?: true;
  readonly failOn?: ReadonlySet<Result>;
}

/** The exit codes for scripts, documented in the README and in `--help`. */
export const exitCodes = {
  done: 0,
  /** A refused request, no response, or a job that failed. */
  failed: 1,
  usage: 2,
  /** An address has a result of `--fail-on`. */
  found: 3,
  noCredits: 4,
  interrupted: 130,
} as const;

/** A command that cannot continue; the message is a sentence that says why and what to do. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly exitCode: number;

  constructor(message: string, exitCode: number = exitCodes.usage) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Writes, and waits until the stream has accepted the text, so that a slow reader slows down the work. */
export function write(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()));
  });
}

/** Replaces control characters: lists come from strangers, and must not control the terminal. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\ufffd');
}

/** What happened and what to do, with the id by which the operator can find the request. */
export function sentenceOf({ message, status, requestId }: MailproofError): string {
  const stop = /[.?!]$/.test(message) ? '' : '.';
  const advice = status === undefined ? `${stop} Check the URL, and that the installation runs.` : '';
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  // The server's words can contain text of the list, such as the name of a column.
  return printable(`${message}${advice}${request}`);
}

/** Whether there is a person to ask. */
export function isInteractive({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/** Asks a question that is answered with yes or no; the default is no. A terminal sends the line as one chunk. */
export async function confirm(question: string, { stdin, stderr, signal }: Terminal): Promise<boolean> {
  stderr.write(`${question} [y/N] `);
  const answer = await new Promise<string>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    stdin.once('end', () => resolve(''));
    stdin.once('data', chunk => resolve(String(chunk)));
  });
  stdin.pause();
  return /^y(es)?$/i.test(answer.trim());
}

/** The last line of a terminal during the work; in a log, a line whenever the given step changes. */
export function createStatusLine({ stderr }: Terminal) {
  let lastStep: unknown;
  // Returns to the start of the line and erases all of it (ECMA-48).
  const erase = '\r\u001b[2K';
  return {
    show(text: string, step: unknown): void {
      if (stderr.isTTY === true) {
        stderr.write(erase + text);
      } else if (step !== lastStep) {
        stderr.write(`${text}\n`);
      }
      lastStep = step;
    },
    clear(): void {
      if (stderr.isTTY === true && lastStep !== undefined) stderr.write(erase);
    },
  };
}
