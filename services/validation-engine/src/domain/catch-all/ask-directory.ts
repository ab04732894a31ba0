import type { DirectoryFinding } from './observation.ts';
import type { WebOutcome } from './web-client.ts';

/** What a directory answers about one mailbox. */
export type DirectoryAnswer = 'yes' | 'no' | 'unclear';

/**
 * Asks a directory about a mailbox and, if it says yes, also about a made-up one: wildcard records and obliging servers
 * say yes to every address. Without a clear answer to this control question, a yes proves nothing.
 */
export async function askDirectory(
  ask: (localPart: string) => Promise<DirectoryAnswer>,
  localPart: string,
  stranger: string,
): Promise<DirectoryFinding> {
  const answer = await ask(localPart);
  if (answer !== 'yes') {
    return answer === 'no' ? 'not_published' : 'no_answer';
  }
  switch (await ask(stranger)) {
    case 'yes':
      return 'published_for_everybody';
    case 'no':
      return 'published';
    case 'unclear':
      return 'no_answer';
  }
}

/** Statuses that are about the moment or about us: Request Timeout, Too Early, Too Many Requests. */
const passingStatuses: ReadonlySet<number> = new Set([408, 425, 429]);

/**
 * Reads the answer of a web server. Redirects are not followed and count as no. So does every refusal, because file
 * stores say 403 if a file does not exist.
 */
export function readWebAnswer(outcome: WebOutcome, isRecord: (body: Uint8Array) => boolean): DirectoryAnswer {
  switch (outcome.kind) {
    case 'no_such_host':
      return 'no';
    case 'failure':
      return 'unclear';
    case 'response':
      if (outcome.status >= 500 || passingStatuses.has(outcome.status)) {
        return 'unclear';
      }
      return outcome.status === 200 && isRecord(outcome.body) ? 'yes' : 'no';
  }
}
