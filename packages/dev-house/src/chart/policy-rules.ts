import type { Peer, PolicySpec, Port } from './connections.ts';
import { selects } from './manifests.ts';

/*
 * The policies of a cluster as rules of nftables, for a node whose pods are routed, so that every packet passes its
 * `forward` hook. The chart's policies name their types, as `connections.ts` expects.
 */

type Labels = Readonly<Record<string, string>>;

/** What this code reads of any object. */
interface Metadata {
  readonly name: string;
  readonly namespace?: string;
  readonly labels?: Labels;
}

export interface Pod {
  readonly metadata: Metadata;
  readonly spec: { readonly nodeName?: string; readonly hostNetwork?: boolean };
  readonly status: { readonly podIP?: string; readonly phase?: string };
}

export interface Namespace {
  readonly metadata: Metadata;
}

export interface NetworkPolicy {
  readonly metadata: Metadata;
  readonly spec: PolicySpec;
}

export interface ClusterState {
  readonly pods: readonly Pod[];
  readonly namespaces: readonly Namespace[];
  readonly policies: readonly NetworkPolicy[];
}

const table = 'inet mailproof_policies';

const directions = [
  { type: 'Ingress', rules: 'ingress', peers: 'from', own: 'daddr', other: 'saddr' },
  { type: 'Egress', rules: 'egress', peers: 'to', own: 'saddr', other: 'daddr' },
] as const;

/**
 * Returns the program for `nft -f` that replaces the rules of a node: a pod that a policy selects accepts and opens only
 * the connections that a policy allows. IPv4 only.
 */
export function policyRules(node: string, { pods, namespaces, policies }: ClusterState): string {
  const live = pods.filter(
    ({ spec, status }) =>
      status.podIP !== undefined &&
      !spec.hostNetwork &&
      (status.phase === 'Running' || status.phase === 'Pending'),
  );
  const labelsOf = new Map(namespaces.map(({ metadata }) => [metadata.name, metadata.labels ?? {}]));
  const chains: string[] = [];
  const jumps: string[] = [];
  for (const pod of live.filter(({ spec }) => spec.nodeName === node)) {
    const selecting = policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === pod.metadata.namespace && selects(spec.podSelector, pod.metadata.labels ?? {}),
    );
    for (const direction of directions) {
      const relevant = selecting.filter(({ spec }) => spec.policyTypes.includes(direction.type));
      if (relevant.length === 0) continue;
      const allowed = relevant.flatMap(({ metadata, spec }) =>
        (spec[direction.rules] ?? []).flatMap(rule =>
          peersOf(rule[direction.peers], direction.other, metadata.namespace ?? '', live, labelsOf).flatMap(
            peer => portsOf(rule.ports).map(port => [peer, port, 'return'].filter(Boolean).join(' ')),
          ),
        ),
      );
      const chain = `${direction.rules}_${pod.status.podIP?.replaceAll('.', '_')}`;
      chains.push(block(`chain ${chain}`, [...new Set(allowed), 'counter drop']));
      jumps.push(`ip ${direction.own} ${pod.status.podIP} jump ${chain}`);
    }
  }
  const forward = block('chain forward', [
    'type filter hook forward priority filter; policy accept;',
    'ct state established,related accept',
    ...jumps,
  ]);
  return [`table ${table}`, `delete table ${table}`, block(`table ${table}`, [...chains, forward]), ''].join(
    '\n',
  );
}

function block(head: string, lines: readonly string[]): string {
  return [`${head} {`, ...lines.map(line => line.replaceAll(/^/gm, '  ')), '}'].join('\n');
}

/** Returns a match for each peer: an empty one allows all, and a rule whose peers have no pod allows none. */
function peersOf(
  peers: readonly Peer[] | undefined,
  side: 'saddr' | 'daddr',
  namespace: string,
  pods: readonly Pod[],
  labelsOf: ReadonlyMap<string, Labels>,
): string[] {
  if (peers === undefined || peers.length === 0) return [''];
  return peers.flatMap(({ ipBlock, podSelector, namespaceSelector }) => {
    if (ipBlock) {
      if (ipBlock.cidr.includes(':')) return [];
      const except = (ipBlock.except ?? []).filter(range => !range.includes(':'));
      return [
        `ip ${side} ${ipBlock.cidr}${except.length > 0 ? ` ip ${side} != { ${except.join(', ')} }` : ''}`,
      ];
    }
    const addresses = pods
      .filter(({ metadata }) =>
        namespaceSelector
          ? selects(namespaceSelector, labelsOf.get(metadata.namespace ?? '') ?? {})
          : metadata.namespace === namespace,
      )
      .filter(({ metadata }) => !podSelector || selects(podSelector, metadata.labels ?? {}))
      .flatMap(({ status }) => status.podIP ?? []);
    return addresses.length > 0 ? [`ip ${side} { ${[...new Set(addresses)].sort().join(', ')} }`] : [];
  });
}

/**
 * Returns a match for each port: an empty one allows all.
 *
 * @throws RangeError for a port by name, which has another number at each pod
 */
function portsOf(ports: readonly Port[] | undefined): string[] {
  if (ports === undefined || ports.length === 0) return [''];
  return ports.map(({ protocol = 'TCP', port, endPort }) => {
    const transport = protocol.toLowerCase();
    if (port === undefined) return `meta l4proto ${transport}`;
    if (typeof port === 'string')
      throw new RangeError(`The port ${port} of a policy is a name; use its number.`);
    return `${transport} dport ${port}${endPort === undefined ? '' : `-${endPort}`}`;
  });
}
