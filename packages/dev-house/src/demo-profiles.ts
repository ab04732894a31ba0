import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { within } from './deadline.ts';
import type { DemoAccount, DemoProfiles } from './demo-account.ts';
import { spawnOperatorCommand } from './run-operator-command.ts';
import type { Environment } from './service-environment.ts';
import { readJsonIfPresent, stateFiles, writePrivateJson } from './state-files.ts';

const timeoutMs = 60_000;
/** Enough to search, few enough to import quickly. */
const invented = { people: '3000', companies: '300' } as const;

/**
 * Fills the profile store of a new demo account with invented companies and people to find, and saves some of them in
 * `demo.json` as examples. If this fails, the demo still works, and `report` says so.
 */
export async function keepDemoProfiles({
  stateDir,
  account,
  enrichmentEnvironment,
  report,
}: {
  readonly stateDir: string;
  readonly account: { readonly isNew: boolean };
  readonly enrichmentEnvironment: Environment;
  readonly report: (sentence: string) => void;
}): Promise<DemoProfiles | undefined> {
  const path = join(stateDir, stateFiles.demo);
  const kept = readJsonIfPresent<DemoAccount>(path);
  if (!account.isNew && kept?.profiles) return kept.profiles;
  try {
    const profiles = readExamples(await synthesize(enrichmentEnvironment));
    await writePrivateJson(path, { ...kept, profiles });
    report(
      `Generated ${invented.companies} synthetic companies and ${invented.people} people to search for.`,
    );
    return profiles;
  } catch (error) {
    report(`Generating companies and people failed: ${(error as Error).message}`);
    return undefined;
  }
}

async function synthesize(environment: Environment): Promise<string> {
  const args = ['synthesize', 'people', invented.people, '--companies', invented.companies, '--json'];
  const child = spawnOperatorCommand(args, environment, ['ignore', 'pipe', 'pipe']);
  try {
    const finished = Promise.all([
      child.stdout ? text(child.stdout) : '',
      child.stderr ? text(child.stderr) : '',
      once(child, 'exit'),
    ]);
    const [output, complaint, [code]] = await within(
      'Companies and people are generated',
      finished,
      timeoutMs,
    );
    if (code !== 0) throw new Error(complaint.trim());
    return output;
  } finally {
    child.kill('SIGKILL');
  }
}

/** Reads the command's answer, which is the last line that it prints. */
export function readExamples(output: string): DemoProfiles {
  const { examples } = JSON.parse(output.trim().split('\n').at(-1) ?? '') as {
    examples?: Partial<DemoProfiles>;
  };
  const { profileUrl, companyDomains } = examples ?? {};
  if (profileUrl === undefined || companyDomains === undefined) {
    throw new Error('they were, but the command named no examples.');
  }
  return { profileUrl, companyDomains };
}
