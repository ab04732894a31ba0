import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';
import { spawnOperatorCommand } from './run-operator-command.ts';
import type { Environment } from './service-environment.ts';

const timeoutMs = 60_000;
/** Enough to search in, few enough that nobody waits for them. */
const invented = { people: '3000', companies: '300' } as const;

/**
 * Fills the profile store with invented companies and people, so that there is something to find. Doing it again changes
 * nothing. Answers a sentence that says what became of it: a demo that lacks them works all the same.
 */
export async function inventDemoProfiles(enrichmentEnvironment: Environment): Promise<string> {
  const args = ['synthesize', 'people', invented.people, '--companies', invented.companies, '--json'];
  const child = spawnOperatorCommand(args, enrichmentEnvironment, ['ignore', 'pipe', 'pipe']);
  try {
    const finished = Promise.all([
      child.stderr ? text(child.stderr) : '',
      once(child, 'exit'),
      child.stdout?.resume(),
    ]);
    const [complaint, [code]] = await within('Companies and people are invented', finished, timeoutMs);
    return code === 0
      ? `Invented ${invented.companies} companies and ${invented.people} people to search for; they are marked as synthetic.`
      : `No companies and people were invented: ${complaint.trim()}`;
  } catch (error) {
    return `No companies and people were invented: ${(error as Error).message}`;
  } finally {
    child.kill('SIGKILL');
  }
}
