import { type ProblemCode, sandboxDomain, simulatedProblemOf } from '@mailproof/shared-types';

/** An error that the sandbox simulates. */
export class SimulatedError extends Error {
  override readonly name = 'SimulatedError';
  readonly code: ProblemCode;

  constructor(code: ProblemCode) {
    super(`The sandbox simulates ${code}.`);
    this.code = code;
  }
}

/** What domains can provoke an error of: a search, one that never costs credits, or the start of its run. */
export type SimulatedAct = 'search' | 'free_search' | 'run';

/**
 * Throws the error that company domains in filters, or seeds, ask for: `error-402.sandbox.mailproof.test` refuses the search, and
 * `run-error-402.sandbox.mailproof.test` the start of its run.
 *
 * @throws SimulatedError
 */
export function simulateErrorOf(domains: readonly string[] = [], act: SimulatedAct): void {
  for (const domain of domains) {
    const [name, parent] = splitOnce(domain, '.');
    if (parent !== sandboxDomain) continue;
    const prefix = act === 'run' ? 'run-' : '';
    const asked = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    const code = asked === 'not-ready' ? 'search_not_ready' : simulatedProblemOf(asked);
    if (code && !(act === 'free_search' && code === 'credits_exhausted')) throw new SimulatedError(code);
  }
}

/** Throws the error that a profile URL such as `people.sandbox.mailproof.test/error-402` asks for. */
export function simulateErrorOfProfile(profileKey: string): void {
  const [host, path] = splitOnce(profileKey, '/');
  const code = host === `people.${sandboxDomain}` ? simulatedProblemOf(path) : undefined;
  if (code) throw new SimulatedError(code);
}

function splitOnce(text: string, at: string): [string, string] {
  const position = text.indexOf(at);
  return position < 0 ? [text, ''] : [text.slice(0, position), text.slice(position + 1)];
}
