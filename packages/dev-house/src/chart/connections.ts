import { BlockList, isIPv6 } from 'node:net';
import { type LabelSelector, type Manifest, type Pod, podsIn, selects } from './manifests.ts';

/*
 * Computes which connections the policies of rendered manifests allow, by the rules of Kubernetes. If no policy selects
 * a pod for a direction, everything is allowed; otherwise, anything that one of its policies allows. Between two of our
 * pods, both ends must allow the connection.
 */

interface IpBlock {
  readonly cidr: string;
  readonly except?: readonly string[];
}

export interface Peer {
  readonly ipBlock?: IpBlock;
  readonly podSelector?: LabelSelector;
  readonly namespaceSelector?: LabelSelector;
}

export interface Port {
  readonly protocol?: string;
  readonly port?: number | string;
  readonly endPort?: number;
}

interface Rule {
  readonly from?: readonly Peer[];
  readonly to?: readonly Peer[];
  readonly ports?: readonly Port[];
}

/** The part of a NetworkPolicy that decides about connections. */
export interface PolicySpec {
  readonly podSelector: LabelSelector;
  readonly policyTypes: readonly string[];
  readonly ingress?: readonly Rule[];
  readonly egress?: readonly Rule[];
}

type Direction = 'Ingress' | 'Egress';

/** A peer that a pod may connect to or accept in one direction, and the ports. */
interface Allowed {
  /** Anyone if undefined. */
  readonly peer: Peer | undefined;
  readonly ports: readonly string[];
}

const anyPort = 'any port';

/** Returns every allowed connection as a line, such as `gateway -> credit-ledger: TCP 8080`. */
export function connectionsIn(manifests: readonly Manifest[]): string[] {
  const pods = podsIn(manifests);
  const policies = manifests
    .filter(({ kind }) => kind === 'NetworkPolicy')
    .map(({ spec }) => spec as PolicySpec);
  const lines = pods.flatMap(pod => {
    const egress = allowed(policies, pod, 'Egress');
    const ingress = allowed(policies, pod, 'Ingress');
    return [
      ...pods.filter(other => other !== pod).flatMap(other => between(policies, pod, egress, other)),
      ...beyond(egress).map(([whom, ports]) => `${pod.component} -> ${whom}: ${ports}`),
      ...beyond(ingress).map(([whom, ports]) => `${whom} -> ${pod.component}: ${ports}`),
    ];
  });
  return [...new Set(lines)].sort();
}

/** Returns the names of the pods that may reach internet addresses, by port. */
export function reachOfInternet(lines: readonly string[]): Map<string, string[]> {
  const reach = new Map<string, string[]>();
  for (const line of lines) {
    const [, name = '', ports = ''] = /^(\S+) -> (?:internet|anyone)\S*.*?: (.+)$/.exec(line) ?? [];
    for (const port of ports.split(', ').filter(Boolean)) reach.set(port, [...(reach.get(port) ?? []), name]);
  }
  return reach;
}

function allowed(policies: readonly PolicySpec[], pod: Pod, direction: Direction): Allowed[] {
  const selecting = policies.filter(
    policy => policy.policyTypes.includes(direction) && selects(policy.podSelector, pod.labels),
  );
  if (selecting.length === 0) return [{ peer: undefined, ports: [anyPort] }];
  return selecting
    .flatMap(policy => (direction === 'Ingress' ? policy.ingress : policy.egress) ?? [])
    .flatMap((rule): Allowed[] => {
      const peers = direction === 'Ingress' ? rule.from : rule.to;
      const ports = rule.ports ? rule.ports.map(portName) : [anyPort];
      // Absent peers and an empty list both mean anyone.
      return peers && peers.length > 0 ? peers.map(peer => ({ peer, ports })) : [{ peer: undefined, ports }];
    });
}

function portName({ protocol = 'TCP', port, endPort }: Port): string {
  return `${protocol} ${port === undefined ? 'any' : port}${endPort === undefined ? '' : `-${endPort}`}`;
}

function between(
  policies: readonly PolicySpec[],
  pod: Pod,
  egress: readonly Allowed[],
  other: Pod,
): string[] {
  const out = portsWith(egress, other);
  const into = portsWith(allowed(policies, other, 'Ingress'), pod);
  const both = [...out].filter(port => into.has(port) || into.has(anyPort));
  const ports = out.has(anyPort) ? [...into] : both;
  return ports.length > 0 ? [`${pod.component} -> ${other.component}: ${ports.sort().join(', ')}`] : [];
}

function portsWith(rules: readonly Allowed[], other: Pod): Set<string> {
  const meant = rules.filter(
    ({ peer }) =>
      peer === undefined ||
      (peer.podSelector !== undefined &&
        peer.namespaceSelector === undefined &&
        selects(peer.podSelector, other.labels)),
  );
  return new Set(meant.flatMap(({ ports }) => ports));
}

/** Describes the peers outside of the installation. */
function beyond(rules: readonly Allowed[]): [whom: string, ports: string][] {
  return rules.flatMap(({ peer, ports }) => {
    const whom = nameOf(peer);
    return whom === undefined ? [] : [[whom, ports.join(', ')] as [string, string]];
  });
}

function nameOf(peer: Peer | undefined): string | undefined {
  if (peer === undefined) return 'anyone';
  if (peer.ipBlock) return nameOfBlock(peer.ipBlock);
  if (!peer.namespaceSelector) return undefined;
  const pods = peer.podSelector ? `pods ${words(peer.podSelector)} of ` : '';
  return `${pods}namespaces ${words(peer.namespaceSelector)}`;
}

function words({ matchLabels = {} }: LabelSelector): string {
  const labels = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  return labels.length > 0 ? labels.join(',') : 'any';
}

/** Addresses outside the public internet: private networks, link-local and loopback, cloud metadata services. */
const privateAddresses = [
  ...['0.0.0.1', '10.0.0.1', '10.255.255.254', '100.64.0.1', '127.0.0.1', '169.254.169.254'],
  ...['172.16.0.1', '172.31.255.254', '192.0.0.1', '192.0.2.1', '192.168.0.1', '192.168.255.254'],
  ...['198.18.0.1', '198.51.100.1', '203.0.113.1', '224.0.0.1', '239.255.255.255', '255.255.255.255'],
  ...['::1', '::ffff:10.0.0.1', '64:ff9b::a00:1', '2001::1', '2001:db8::1', '2002:a00:1::1'],
  ...['fc00::1', 'fd00::1', 'fe80::1', 'ff02::1'],
];
const publicAddresses = ['1.0.0.1', '8.8.8.8', '193.0.6.139', '2606:4700::1111', '2a00:1450::1'];

/** Returns `internet` if the block contains public addresses, and lists private ones in the same block. */
function nameOfBlock({ cidr, except = [] }: IpBlock): string {
  const inside = blockList([cidr]);
  const outside = blockList(except);
  const holds = (address: string) => has(inside, address) && !has(outside, address);
  if (!publicAddresses.some(holds)) return cidr;
  const leaks = privateAddresses.filter(holds);
  return `internet (${cidr})${leaks.length > 0 ? ` WITH ${leaks.join(' ')}` : ''}`;
}

function blockList(cidrs: readonly string[]): BlockList {
  const list = new BlockList();
  for (const cidr of cidrs) {
    const [address = '', prefix] = cidr.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return list;
}

function has(list: BlockList, address: string): boolean {
  return list.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
}
