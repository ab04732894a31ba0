import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitFor } from '@mailproof/dev-house';
import { type DemoCredentials, pageCommands, readPrintedCredentials } from '@mailproof/dev-house/images';
import { Mailproof } from '@mailproof/sdk';
import { output } from '../trial/output.ts';
import type { Checkout } from './checkout.ts';
import type { Engine } from './engine.ts';

/** Mailproof in containers, started as docs/run-with-compose.md says. */
export interface Installation {
  readonly gatewayUrl: string;
  readonly account: DemoCredentials;
  readonly client: Mailproof;
  /** The seconds that each of the four commands took, and that the API took after the third. */
  readonly figures: string;
  /** Runs commands in the checkout and returns their output. */
  readonly shell: (commands: string) => Promise<string>;
  /** The blocks of commands below a heading of a page of the checkout. */
  readonly blocks: (page: string, heading: string) => readonly string[];
}

const gatewayUrl = 'http://127.0.0.1:8080';
const apiDeadlineMs = 30_000;
const startDeadlineMs = 3_000_000;

/** Runs the four commands of the page, as written, and resolves when the API answers. */
export async function install(
  { folder }: Checkout,
  { environment }: Engine,
  report: (line: string) => void,
): Promise<Installation> {
  const shell = (commands: string): Promise<string> =>
    output(['bash', '-euo', 'pipefail', '-c', commands], environment, {
      cwd: folder,
      deadlineMs: startDeadlineMs,
    });
  const blocks = (page: string, heading: string): readonly string[] =>
    pageCommands(readFileSync(join(folder, page), 'utf8'), heading);
  const [four = ''] = blocks('docs/run-with-compose.md', '# Run it with Compose');
  const figures: string[] = [];
  let said = '';
  for (const command of four.split('\n')) {
    report(command);
    const startedAt = Date.now();
    said = await shell(command);
    figures.push(`${Math.round((Date.now() - startedAt) / 1_000)} s`);
  }
  const account = readPrintedCredentials(said);
  const client = new Mailproof({ baseUrl: gatewayUrl, apiKey: account.apiKey });
  const answers = () =>
    client.send('get', '/me').then(
      () => true,
      () => false,
    );
  await waitFor('the API answers', answers, { deadlineMs: apiDeadlineMs });
  return {
    gatewayUrl,
    account,
    client,
    figures: `the four commands took ${figures.join(', ')}`,
    shell,
    blocks,
  };
}
