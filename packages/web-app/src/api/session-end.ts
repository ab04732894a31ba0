import type { ProblemError } from './problem.ts';

type Listener = () => void;

let listener: Listener | undefined;

/** Is told when the API answers that nobody has signed in any more; there is one, for the whole application. */
export function onSessionEnd(tell: Listener): void {
  listener = tell;
}

/** Looks at a refusal for what it says about the session. A wrong password is another thing, and has another code. */
export function noteRefusal({ code }: ProblemError): void {
  if (code === 'not_signed_in') listener?.();
}
