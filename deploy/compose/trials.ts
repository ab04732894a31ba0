import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { serviceDefinitions } from '@mailproof/installation';
import { describeLoad, type LoadResult, startLoad } from '../trial/load.ts';
import type { Trial } from '../trial/outcomes.ts';
import { type Checkout, changedPage } from './checkout.ts';
import type { Installation } from './installation.ts';

export interface TrialContext {
  readonly checkout: Checkout;
  readonly installation: Installation;
}

/** The account's plan allows ten. */
const requestsPerSecond = 5;
/** Compose stops all services before it runs the migrations; two busy cores need about a minute to start them again. */
const outageMsMax = 180_000;
const requestDeadlineMs = 30_000;
const targetsDeadlineMs = 60_000;

/** Each leaves the installation in use. */
export const trials: readonly Trial<TrialContext>[] = [
  {
    name: 'start',
    about:
      'the four commands of docs/run-with-compose.md; the owner signs in, and addresses get their verdicts',
    run: async ({ installation }) => {
      const seconds = installation.figures;
      await signIn(installation);
      return `${seconds}; the owner is signed in; ${await validate(installation)}`;
    },
  },
  {
    name: 'operate',
    about: 'the operator commands of that page, the migrations again, and the metrics that Prometheus reads',
    run: async ({ installation: { blocks, shell } }) => {
      const commands = blocks('docs/run-with-compose.md', '## What is running')
        .flatMap(block => block.split('\n'))
        // It follows the log until it is stopped.
        .filter(command => !command.includes(' logs --follow '));
      for (const command of commands) await shell(command);
      const migrated = await shell('docker compose run --rm migrate');
      const idle = migrated.split('\n').filter(line => line.trimEnd().endsWith(': nothing new.')).length;
      if (idle !== serviceDefinitions.length) throw new Error(`The migrations did something:\n${migrated}`);
      const names = serviceDefinitions.map(({ name }) => name);
      await waitFor('Prometheus reads the metrics of each service', () => targetsAreUp(shell, names), {
        deadlineMs: targetsDeadlineMs,
        everyMs: 2_000,
      });
      return `${commands.length} commands; ${idle} services have no new migration; Prometheus reads ${names.length} services`;
    },
  },
  {
    name: 'update',
    about: `git pull and docker compose up, as docs/upgrading.md says, under ${requestsPerSecond} requests a second`,
    run: async ({ checkout, installation }) => {
      const { gatewayUrl, account, client, blocks, shell } = installation;
      // The same in each run, so that the next run finds the layers of this one.
      const sentence = 'A release of the trial has changed this page.';
      checkout.release(sentence);
      const update = blocks('docs/upgrading.md', '## Upgrade').find(block =>
        block.includes('docker compose'),
      );
      if (!update) throw new Error('docs/upgrading.md has no update with Compose.');
      const { credits } = await client.send('get', '/me');
      // Podman does not replace a container whose network another one uses, as docs/run-with-compose.md says.
      await shell('docker compose rm --stop --force mail-lab');
      const load = startLoad(`${gatewayUrl}/api/v1/me`, account.apiKey, requestsPerSecond);
      let result: LoadResult;
      let seconds: number;
      try {
        seconds = await secondsOf(() => shell(update));
        await wait(2_000);
      } finally {
        // It ends even if the update fails.
        result = await load.stop();
      }
      const page = await fetch(`${gatewayUrl}${changedPage.path}`, {
        signal: AbortSignal.timeout(requestDeadlineMs),
      });
      if (!(await page.text()).includes(sentence)) throw new Error('The gateway serves the page of before.');
      const after = await client.send('get', '/me');
      const figures = `updated in ${seconds} s: ${describeLoad(result)}; ${await validate(installation)}`;
      if (after.credits !== credits || result.outageMs > outageMsMax) throw new Error(figures);
      return figures;
    },
  },
  {
    name: 'backup',
    about: 'a backup is taken and restored as docs/backup-and-restore.md says, and every credit is there',
    run: async ({ installation }) => {
      const { client, blocks, shell } = installation;
      const [backup = '', ...restore] = blocks('docs/backup-and-restore.md', '## With Compose');
      const { credits } = await client.send('get', '/me');
      const backupSeconds = await secondsOf(() => shell(backup));
      // The backup does not know what is spent now.
      const spent = await validate(installation);
      const restoreSeconds = await secondsOf(() => shell(restore.join('\n')));
      const restored = await client.send('get', '/me');
      if (restored.credits !== credits)
        throw new Error(`${credits} credits at the backup, ${restored.credits} after the restore (${spent})`);
      return `backup in ${backupSeconds} s, restore and start in ${restoreSeconds} s, ${credits} credits again; ${await validate(installation)}`;
    },
  },
  {
    name: 'down',
    about: 'docker compose down and up keep the data',
    run: async ({ installation }) => {
      const { client, shell } = installation;
      const { credits } = await client.send('get', '/me');
      const seconds = await secondsOf(() => shell('docker compose down\ndocker compose up --detach --wait'));
      const after = await client.send('get', '/me');
      if (after.credits !== credits) throw new Error(`${credits} credits before, ${after.credits} after`);
      return `down and up in ${seconds} s, ${credits} credits; ${await validate(installation)}`;
    },
  },
];

async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const startedAt = Date.now();
  await work();
  return Math.round((Date.now() - startedAt) / 1_000);
}

/** Signs in as the owner with the printed password, and reads the account as the application does. */
async function signIn({ gatewayUrl, account: { email, password } }: Installation): Promise<void> {
  const url = `${gatewayUrl}/app/v1/session`;
  const signedIn = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
    signal: AbortSignal.timeout(requestDeadlineMs),
  });
  await signedIn.text();
  const cookie = signedIn.headers.getSetCookie().map(each => each.split(';')[0]);
  const session = await fetch(url, {
    headers: { cookie: cookie.join('; ') },
    signal: AbortSignal.timeout(requestDeadlineMs),
  });
  const body = await session.text();
  if (!signedIn.ok || !session.ok || !body.includes(email))
    throw new Error(`Signing in as ${email} got ${signedIn.status}, the session ${session.status}: ${body}`);
}

/** Validates addresses of the lab with the account's key, and checks what they cost. */
async function validate({ client }: Installation): Promise<string> {
  const expected = { 'ada@ordinary.example': 'ok', 'nobody@ordinary.example': 'invalid' };
  const before = await client.send('get', '/me');
  for (const [email, wanted] of Object.entries(expected)) {
    const { result } = await client.send('post', '/validate-single-email', { body: { email } });
    if (result !== wanted) throw new Error(`${email} is ${result}, not ${wanted}.`);
  }
  const after = await client.send('get', '/me');
  const spent = before.credits - after.credits;
  if (spent !== Object.keys(expected).length) throw new Error(`${spent} credits were charged.`);
  return `${Object.entries(expected)
    .map(([email, result]) => `${email} is ${result}`)
    .join(', ')} for ${spent} credits`;
}

async function targetsAreUp(shell: Installation['shell'], names: readonly string[]): Promise<boolean> {
  const said = await shell(
    'docker compose exec -T prometheus wget -qO- http://127.0.0.1:9090/api/v1/targets?state=active',
  );
  const { data } = JSON.parse(said) as {
    data: { activeTargets: readonly { labels: { job: string }; health: string }[] };
  };
  const up = data.activeTargets.filter(({ health }) => health === 'up').map(({ labels }) => labels.job);
  return names.every(name => up.includes(name));
}
