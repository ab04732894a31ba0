import { connectionsIn, readManifests } from '@mailproof/dev-house/images';
import type { TrialContext } from './trials.ts';

/** A pod as the trial reaches it. */
interface RunningPod {
  readonly name: string;
  readonly component: string;
  readonly address: string;
}

/** Ports at which any of the pods may listen. */
const ports = [5432, 6379, 8080, 8081, 9464];
/** What no pod may reach: the cluster's API server and the metadata services of clouds. */
const forbidden = ['10.88.0.1:6443', '10.96.0.1:443', '169.254.169.254:80', '1.1.1.1:80'];

/** A program for `node -e` that prints which addresses accept, refuse or drop a connection. */
const probe = `
const targets = JSON.parse(process.argv[1]);
const answers = targets.map(target => new Promise(resolve => {
  const colon = target.lastIndexOf(':');
  const socket = require('node:net').connect({ host: target.slice(0, colon), port: Number(target.slice(colon + 1)) });
  const end = answer => { socket.destroy(); resolve([target, answer]); };
  socket.setTimeout(3000, () => end('dropped'));
  socket.on('connect', () => end('open'));
  socket.on('error', ({ code }) => end(code));
}));
Promise.all(answers).then(all => console.log(JSON.stringify(Object.fromEntries(all))));
`;

/**
 * Tries to connect from each service's pod to every pod and port, and compares with the connections that the policies of
 * the rendered chart allow: these are open, and all others are dropped.
 */
export async function policyTrial({ cluster, installation }: TrialContext): Promise<string> {
  const { namespace, helm, chart } = installation;
  const allowed = allowedConnections(connectionsIn(readManifests(await helm('template', ...chart))));
  const pods = await runningPods(cluster.kubectl, namespace);
  const faults: string[] = [];
  let counts = { open: 0, denied: 0 };
  for (const from of onePerComponent(pods).filter(({ component }) => !stores.has(component))) {
    const others = onePerComponent(pods.filter(({ component }) => component !== from.component));
    const targets = others.flatMap(({ address }) => ports.map(port => `${address}:${port}`));
    const said = await cluster.kubectl([
      ...[
        '-n',
        namespace,
        'exec',
        from.name,
        '--',
        'node',
        '-e',
        probe,
        JSON.stringify([...targets, ...forbidden]),
      ],
    ]);
    const answers = JSON.parse(said) as Record<string, string>;
    for (const to of others)
      for (const port of ports) {
        const answer = answers[`${to.address}:${port}`];
        const isAllowed = allowed.has(`${from.component} -> ${to.component}: TCP ${port}`);
        const isRight = isAllowed ? answer === 'open' : answer === 'dropped';
        if (!isRight) faults.push(`${from.component} -> ${to.component}:${port} is ${answer}`);
        else if (isAllowed) counts = { ...counts, open: counts.open + 1 };
        else counts = { ...counts, denied: counts.denied + 1 };
      }
    for (const target of forbidden) {
      if (answers[target] === 'open') faults.push(`${from.component} -> ${target} is open`);
      else counts = { ...counts, denied: counts.denied + 1 };
    }
  }
  if (faults.length > 0) throw new Error(faults.join(', '));
  return `${counts.open} allowed connections open, ${counts.denied} others denied`;
}

const stores = new Set(['postgres', 'redis']);

/** Reads lines such as `gateway -> credit-ledger: TCP 8080, TCP 8081` as one line for each port. */
function allowedConnections(lines: readonly string[]): Set<string> {
  return new Set(
    lines.flatMap(line => {
      const [, pair = '', list = ''] = /^(\S+ -> \S+): (.+)$/.exec(line) ?? [];
      return list.split(', ').map(port => `${pair}: ${port}`);
    }),
  );
}

async function runningPods(
  kubectl: TrialContext['cluster']['kubectl'],
  namespace: string,
): Promise<RunningPod[]> {
  const { items } = JSON.parse(await kubectl(['-n', namespace, 'get', 'pods', '-o', 'json'])) as {
    items: {
      metadata: { name: string; labels: Record<string, string> };
      status: { phase: string; podIP: string };
    }[];
  };
  return items
    .filter(({ status }) => status.phase === 'Running')
    .map(({ metadata, status }) => ({
      name: metadata.name,
      component: metadata.labels['app.kubernetes.io/component'] ?? '',
      address: status.podIP,
    }));
}

function onePerComponent(pods: readonly RunningPod[]): RunningPod[] {
  return [...new Map(pods.map(pod => [pod.component, pod])).values()];
}
