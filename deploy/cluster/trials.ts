import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { serviceDefinitions } from '@mailproof/installation';
import { Mailproof } from '@mailproof/sdk';
import type { Cluster } from './cluster.ts';
import type { Installation } from './installation.ts';
import { type LoadResult, startLoad } from './load.ts';
import { policyTrial } from './policy-trial.ts';

export interface TrialContext {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly report: (line: string) => void;
}

/** A trial of the installation. It leaves the installation as it found it. */
export interface Trial {
  readonly name: string;
  readonly about: string;
  /**
   * Resolves with its figures.
   *
   * @throws Error when the trial fails
   */
  readonly run: (context: TrialContext) => Promise<string>;
}

export interface Outcome {
  readonly name: string;
  readonly passed: boolean;
  readonly seconds: number;
  readonly figures: string;
}

const requestsPerSecond = 50;
const listAddresses = 200;
const rolloutTimeout = '--timeout=10m';
const apiDeadlineMs = 120_000;

export const trials: readonly Trial[] = [
  {
    name: 'helm-test',
    about: 'helm test --logs, as after each installation',
    run: async ({ installation: { helm, release } }) => {
      const said = await helm('test', release, '--logs');
      const asked = said.split('\n').filter(line => /^http:\/\/\S+: \d+$/.test(line)).length;
      if (!/Phase:\s+Succeeded/.test(said) || asked === 0) throw new Error(said);
      return `${asked} answers as expected`;
    },
  },
  {
    name: 'verdicts',
    about: 'an account validates an address and a list, and is charged for each address',
    run: async ({ installation }) => {
      const client = clientOf(installation);
      const { result } = await client.send('post', '/validate-single-email', {
        body: { email: 'ada@ordinary.example' },
      });
      if (result !== 'ok') throw new Error(`ada@ordinary.example is ${result}, not ok.`);
      return `ada@ordinary.example is ${result}; ${await validateLists(installation, AbortSignal.abort())}`;
    },
  },
  { name: 'policies', about: 'connections from inside each pod, allowed and denied', run: policyTrial },
  {
    name: 'upgrade',
    about: `helm upgrade and helm rollback under ${requestsPerSecond} requests a second and lists`,
    run: context =>
      underLoad(context, async ({ installation: { helm, chart, release } }) => {
        await helm('upgrade', ...chart, '--set', 'logLevel=debug', '--wait', '--timeout', '10m');
        await helm('rollback', release, '--wait', '--timeout', '10m');
      }),
  },
  {
    name: 'drain',
    about: `kubectl drain of each node under ${requestsPerSecond} requests a second and lists`,
    run: context =>
      underLoad(context, async ({ cluster: { kubectl, nodes }, installation: { namespace } }) => {
        // The bundled stores have one pod each, which a drain would stop: an installation with them is a trial.
        const selector = '--pod-selector=app.kubernetes.io/component notin (postgres,redis,migrate,test)';
        for (const { name } of nodes) {
          await kubectl([
            'drain',
            name,
            '--ignore-daemonsets',
            '--delete-emptydir-data',
            selector,
            rolloutTimeout,
          ]);
          await kubectl(['uncordon', name]);
          await untilReady(context, namespace);
        }
      }),
  },
  {
    name: 'kills',
    about: 'kill of a pod of each service, of a kubelet and of the control plane, under load and lists',
    run: context =>
      underLoad(
        context,
        async ({ cluster: { kubectl, parts }, installation: { namespace, release } }) => {
          for (const { name: service } of serviceDefinitions) {
            const selector = `app.kubernetes.io/component=${service}`;
            const names = await kubectl(['-n', namespace, 'get', 'pods', '-l', selector, '-o', 'name']);
            const [first = ''] = names.split('\n');
            await kubectl(['-n', namespace, 'delete', first, '--grace-period=0', '--force']);
            await kubectl([
              '-n',
              namespace,
              'rollout',
              'status',
              `deployment/${release}-${service}`,
              rolloutTimeout,
            ]);
          }
          for (const name of ['kubelet-node1', 'kubelet-node2', 'scheduler', 'controllers', 'api-server']) {
            await parts.get(name)?.kill();
            await wait(5_000);
            parts.get(name)?.start();
          }
          await untilReady(context, namespace);
        },
        // A pod that is killed takes its requests with it.
        { failuresMax: 0.02 },
      ),
  },
];

/** Runs trials in order; a trial that fails does not keep the others from running. */
export async function runTrials(
  context: TrialContext,
  only: readonly string[] | undefined,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { name, run } of trials.filter(trial => only === undefined || only.includes(trial.name))) {
    const startedAt = Date.now();
    const [passed, figures] = await run(context).then(
      said => [true, said] as const,
      (error: Error) => [false, error.message] as const,
    );
    const seconds = Math.round((Date.now() - startedAt) / 1_000);
    context.report(`${passed ? 'passed' : 'FAILED'}: ${name}: ${figures}`);
    outcomes.push({ name, passed, seconds, figures });
  }
  return outcomes;
}

/** Runs work while a client sends requests and validates lists: no request fails, and each list is right. */
async function underLoad(
  context: TrialContext,
  work: (context: TrialContext) => Promise<void>,
  { failuresMax = 0 }: { readonly failuresMax?: number } = {},
): Promise<string> {
  const { gatewayUrl, apiKey } = context.installation;
  const load = startLoad(`${gatewayUrl}/api/v1/me`, apiKey, requestsPerSecond);
  const end = new AbortController();
  const lists = validateLists(context.installation, end.signal);
  let result: LoadResult;
  try {
    await work(context);
  } finally {
    await wait(2_000);
    // Neither disturbs the next trial, even if this one fails.
    end.abort();
    result = await load.stop();
    await Promise.allSettled([lists]);
  }
  const failed = Object.values(result.failures).reduce((sum, count) => sum + count, 0);
  const figures = `${describe(result)}; ${await lists}`;
  if (failed > result.requests * failuresMax) throw new Error(figures);
  return figures;
}

function describe({ requests, perSecond, failures, p50Ms, p99Ms }: LoadResult): string {
  const failed = Object.entries(failures).map(([what, count]) => `${count} × ${what}`);
  return `${requests} requests at ${perSecond}/s, ${failed.length > 0 ? failed.join(', ') : '0'} failed, p50 ${p50Ms} ms, p99 ${p99Ms} ms`;
}

/**
 * Validates one list after another until `end` aborts, at least one. Checks that each address has the verdict that its
 * host gives, that the receipts agree with the price, and that nothing stays reserved.
 */
async function validateLists(installation: Installation, end: AbortSignal): Promise<string> {
  const client = clientOf(installation);
  const { credits: before } = await client.send('get', '/me');
  let [lists, verdicts, spent] = [0, 0, 0];
  do {
    const expected = installation.takeAddresses(listAddresses);
    const addresses = expected.map(({ address }) => address);
    const job = await client.validateList({ addresses }, { name: 'trial.csv' });
    const given = new Map<string | null, string | undefined>();
    const params = { path: { job_id: job.job_id }, query: { limit: listAddresses } };
    for await (const { rows } of client.pages('/validation-jobs/{job_id}/rows', { params })) {
      for (const { email, verdict } of rows) given.set(email, verdict?.result);
    }
    const wrong = expected.filter(({ address, result }) => given.get(address) !== result);
    const charged = job.done - job.results.unknown;
    if (job.state !== 'succeeded' || wrong.length > 0 || job.spent !== charged * job.price)
      throw new Error(`List ${lists + 1} ${job.state}: ${JSON.stringify({ wrong: wrong.slice(0, 5), job })}`);
    lists += 1;
    verdicts += given.size;
    spent += job.spent;
  } while (!end.aborted);
  const { credits: after } = await client.send('get', '/me');
  const said = `${lists} lists: ${verdicts} verdicts as expected, ${spent} credits`;
  if (before - after !== spent) throw new Error(`${said}, balance from ${before} to ${after}`);
  return said;
}

/** Resolves when the API server answers and all deployments have all their pods ready. */
async function untilReady({ cluster: { kubectl } }: TrialContext, namespace: string): Promise<void> {
  const answers = () =>
    kubectl(['get', '--raw', '/readyz']).then(
      () => true,
      () => false,
    );
  await waitFor('the API server answers', answers, { deadlineMs: apiDeadlineMs, everyMs: 1_000 });
  const deployments = (await kubectl(['-n', namespace, 'get', 'deployments', '-o', 'name']))
    .trim()
    .split('\n');
  for (const name of deployments) await kubectl(['-n', namespace, 'rollout', 'status', name, rolloutTimeout]);
}

function clientOf({ gatewayUrl, apiKey }: Installation): Mailproof {
  return new Mailproof({ baseUrl: gatewayUrl, apiKey });
}
