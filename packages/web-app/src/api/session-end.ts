import type { ProblemError } from './problem.ts';

/** What a refusal says of the session: it is over, or it is another account's than the page shows. */
export type SessionRefusal = Extract<ProblemError['code'], 'not_signed_in' | 'other_account'>;

type Listener = (refusal: SessionRefusal) => void;

let listener: Listener | undefined;

/** Registers the one listener of the application. */
export function onSessionRefusal(tell: Listener): void {
  listener = tell;
}

/** Looks at a refusal for what it says about the session. A wrong password has another code. */
export function noteRefusal({ code }: ProblemError): void {
  if (code === 'not_signed_in' || code === 'other_account') listener?.(code);
}
