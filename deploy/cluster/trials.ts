import { setTimeout as wait } from 'node:timers/promises';
import { waitFor } from '@mailproof/dev-house';
import { serviceDefinitions } from '@mailproof/installation';
import { describeLoad, type LoadResult, startLoad } from '../trial/load.ts';
import type { Trial } from '../trial/outcomes.ts';
import { startAutoscaler, untilReplicas } from './autoscaler.ts';
import { type Cluster, controlAddress } from './cluster.ts';
import { clientOf, type ListBurst, workAsCustomer } from './customer.ts';
import type { Installation } from './installation.ts';
import { policyTrial } from './policy-trial.ts';

export interface TrialContext {
  readonly cluster: Cluster;
  readonly installation: Installation;
  readonly report: (line: string) => void;
}

const requestsPerSecond = 50;
const rolloutTimeout = '--timeout=10m';
const apiDeadlineMs = 120_000;
/** As many as an account may upload at a time; each is a job in the queue of the engine. */
const manyLists: ListBurst = { lists: 3, addresses: 10_000 };
const scaledPods = { min: 2, max: 3, jobsPerReplica: 1 };
const scalingDeadlineMs = 300_000;

/** Each leaves the installation as it found it. */
export const trials: readonly Trial<TrialContext>[] = [
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
    name: 'port-forward',
    about:
      'the application and the tool server answer through the forwarded ports of docs/install-with-helm.md',
    run: async ({ installation }) => {
      const urls = ['http://127.0.0.1:8080/app', 'http://127.0.0.1:8081/health'];
      await installation.forwardPorts('docs/install-with-helm.md', '## Install a trial', urls);
      return urls.join(', ');
    },
  },
  {
    name: 'verdicts',
    about:
      'an account validates an address and a list, pushes its rows and saves people, and is charged for each',
    run: async ({ installation }) => {
      const client = clientOf(installation);
      const { result } = await client.send('post', '/validate-single-email', {
        body: { email: 'ada@ordinary.example' },
      });
      if (result !== 'ok') throw new Error(`ada@ordinary.example is ${result}, not ok.`);
      return `ada@ordinary.example is ${result}; ${await workAsCustomer(installation, AbortSignal.abort())}`;
    },
  },
  { name: 'policies', about: 'connections from inside each pod, allowed and denied', run: policyTrial },
  {
    name: 'upgrade',
    about: `helm upgrade and helm rollback under ${requestsPerSecond} requests a second, lists, pushes and runs`,
    run: context =>
      underLoad(context, async ({ installation: { helm, chart, release } }) => {
        await helm('upgrade', ...chart, '--set', 'logLevel=debug', '--wait', '--timeout', '10m');
        await helm('rollback', release, '--wait', '--timeout', '10m');
      }),
  },
  {
    name: 'drain',
    about: `kubectl drain of each node under ${requestsPerSecond} requests a second, lists, pushes and runs`,
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
    name: 'scaling',
    about: `the engine gets pods while ${manyLists.lists} lists of ${manyLists.addresses} addresses wait, and loses them after it, under the same load`,
    run: scaleByQueues,
  },
  {
    name: 'rotation',
    about:
      'the key that encrypts API keys is replaced, as docs/secrets-rotation.md says, under the same load',
    run: context =>
      underLoad(context, async ({ installation: { runPage } }) => {
        const said = await runPage('docs/secrets-rotation.md', '### On Kubernetes');
        if (!/Encrypted [1-9]/.test(said)) throw new Error(said);
      }),
  },
  {
    name: 'restore',
    about: 'a backup is taken and restored as docs/backup-and-restore.md says, and every credit is there',
    run: async ({ installation }) => {
      const client = clientOf(installation);
      const { credits } = await client.send('get', '/me');
      const startedAt = Date.now();
      await installation.runPage('docs/backup-and-restore.md', '## On Kubernetes');
      const seconds = Math.round((Date.now() - startedAt) / 1_000);
      const restored = await client.send('get', '/me');
      if (restored.credits !== credits)
        throw new Error(`${credits} credits before, ${restored.credits} after`);
      return `backup and restore in ${seconds} s, ${credits} credits; ${await workAsCustomer(installation, AbortSignal.abort())}`;
    },
  },
  {
    name: 'kills',
    about: 'kill of a pod of each service, of a kubelet and of the control plane, under the same load',
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

/** Disturbs the installation while customers use it: no request fails, and all work is right. */
async function underLoad(
  context: TrialContext,
  disturb: (context: TrialContext) => Promise<void>,
  { failuresMax = 0, first }: { readonly failuresMax?: number; readonly first?: ListBurst } = {},
): Promise<string> {
  const { gatewayUrl, apiKey } = context.installation;
  const load = startLoad(`${gatewayUrl}/api/v1/me`, apiKey, requestsPerSecond);
  const end = new AbortController();
  const work = workAsCustomer(context.installation, end.signal, first);
  // It may fail long before anyone waits for it.
  work.catch(() => {});
  let result: LoadResult;
  try {
    await disturb(context);
  } finally {
    await wait(2_000);
    // Neither disturbs the next trial, even if this one fails.
    end.abort();
    result = await load.stop();
    await Promise.allSettled([work]);
  }
  const failed = Object.values(result.failures).reduce((sum, count) => sum + count, 0);
  const figures = `${describeLoad(result)}; ${await work}`;
  if (failed > result.requests * failuresMax) throw new Error(figures);
  return figures;
}

/** Lets queues decide the number of the engine's pods, as the chart does with KEDA. */
async function scaleByQueues(context: TrialContext): Promise<string> {
  const { cluster, installation } = context;
  const { namespace, release, helm, chart } = installation;
  const engine = `${release}-validation-engine`;
  const autoscaler = await startAutoscaler(cluster, namespace);
  try {
    const metrics = { enabled: true, scrapers: [{ ipBlock: { cidr: `${controlAddress}/32` } }] };
    const autoscaling = { by: 'queues', ...scaledPods };
    const values = [
      `metrics=${JSON.stringify(metrics)}`,
      `services.validation-engine.autoscaling=${JSON.stringify(autoscaling)}`,
      `keda.prometheusUrl=${JSON.stringify(autoscaler.prometheusUrl)}`,
    ];
    const set = values.flatMap(value => ['--set-json', value]);
    await helm('upgrade', ...chart, ...set, '--wait', '--timeout', '10m');
    const scaled = await autoscaler.scale();
    if (scaled.join() !== engine) throw new Error(`Scaled by queues: ${scaled}`);
    const seconds: number[] = [];
    const figures = await underLoad(
      context,
      async () => {
        for (const count of [scaledPods.max, scaledPods.min]) {
          const startedAt = Date.now();
          await untilReplicas(cluster, namespace, engine, count, scalingDeadlineMs);
          seconds.push(Math.round((Date.now() - startedAt) / 1_000));
        }
      },
      { first: manyLists },
    );
    return `${scaledPods.max} pods after ${seconds[0]} s, ${scaledPods.min} again after ${seconds[1]} s more; ${figures}`;
  } finally {
    await autoscaler.stop();
    await helm('upgrade', ...chart, '--wait', '--timeout', '10m');
  }
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
