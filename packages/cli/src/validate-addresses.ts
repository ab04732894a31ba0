import { type Mailproof, MailproofError, type Schema } from '@mailproof/sdk';
import {
  CommandError,
  exitCodes,
  printable,
  type Result,
  type Terminal,
  type ValidateOptions,
  write,
} from './terminal.ts';

/** Requests in parallel; all programs of an account share its rate limit. */
const concurrency = 4;
/** The price of a verdict; an `unknown` one is free. */
const creditsEach = 1;
/** Longer addresses shift the rest of their line to the right. */
const addressWidthMax = 48;

/** What is printed about one address. */
interface Answer {
  readonly email: string;
  readonly result: Result;
  readonly reason: string;
  /** Only for text that is not an address: it is refused and free. */
  readonly message?: string;
  readonly verdict?: Schema['EmailValidation'];
}

/** Validates each address with one request, and prints the verdicts in the order of the addresses. */
export async function validateAddresses(
  addresses: readonly string[],
  options: ValidateOptions,
  mailproof: Mailproof,
  terminal: Terminal,
): Promise<number> {
  const { maxCredits = Infinity } = options;
  if (addresses.length * creditsEach > maxCredits) {
    throw new CommandError(
      `Each address can cost ${creditsEach} credit, and ${addresses.length} could cost more than --max-credits ${maxCredits}. None is validated.`,
    );
  }
  const width = Math.min(addressWidthMax, Math.max(...addresses.map(({ length }) => length)));
  const left = [...addresses];
  const requested: Promise<Answer>[] = [];
  let exitCode: number = exitCodes.done;
  for (;;) {
    for (const email of left.splice(0, concurrency - requested.length)) {
      const answer = answerOf(email, mailproof, terminal.signal);
      // If an earlier one fails, no one waits for this one.
      answer.catch(() => undefined);
      requested.push(answer);
    }
    const answer = await requested.shift();
    if (answer === undefined) return exitCode;
    if (options.failOn?.has(answer.result)) exitCode = exitCodes.found;
    await write(terminal.stdout, options.json ? jsonOf(answer) : lineOf(answer, width));
  }
}

async function answerOf(email: string, mailproof: Mailproof, signal: AbortSignal): Promise<Answer> {
  try {
    const params = { query: { details: 'true' } } as const;
    const verdict = await mailproof.send('post', '/validate-single-email', {
      body: { email },
      params,
      signal,
    });
    return { email, result: verdict.result, reason: verdict.details?.reason ?? '', verdict };
  } catch (error) {
    if (!(error instanceof MailproofError) || error.code !== 'invalid_email_address') throw error;
    return { email, result: 'invalid', reason: 'syntax', message: error.detail ?? error.message };
  }
}

function jsonOf({ verdict, ...answer }: Answer): string {
  return `${JSON.stringify(verdict ?? { valid: false, credits_consumed: false, ...answer })}\n`;
}

function lineOf({ email, result, reason, message }: Answer, width: number): string {
  const cells = [
    printable(email).padEnd(width),
    result.padEnd(19),
    reason.padEnd(26),
    printable(message ?? ''),
  ];
  return `${cells.join('  ').trimEnd()}\n`;
}
