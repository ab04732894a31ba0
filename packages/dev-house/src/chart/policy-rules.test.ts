import { expect, test } from '@jest/globals';
import { type ClusterState, type NetworkPolicy, policyRules } from './policy-rules.ts';

const pod = (name: string, podIP: string, nodeName = 'node1', namespace = 'shop') => ({
  metadata: { name, namespace, labels: { app: name } },
  spec: { nodeName },
  status: { podIP, phase: 'Running' },
});

const policy = (app: string, spec: Partial<NetworkPolicy['spec']>): NetworkPolicy => ({
  metadata: { name: app, namespace: 'shop' },
  spec: { podSelector: { matchLabels: { app } }, policyTypes: ['Ingress', 'Egress'], ...spec },
});

const state = (...policies: readonly NetworkPolicy[]): ClusterState => ({
  pods: [
    pod('web', '10.244.1.2'),
    pod('store', '10.244.2.3', 'node2'),
    pod('other', '10.244.1.4', 'node1', 'else'),
  ],
  namespaces: ['shop', 'else'].map(name => ({ metadata: { name, labels: { name } } })),
  policies,
});

const linesOf = (rules: string, chain: string): string[] =>
  (new RegExp(`chain ${chain} \\{\\n(.*?)\\n {2}\\}`, 's').exec(rules)?.[1] ?? '')
    .split('\n')
    .map(line => line.trim());

test('a pod that no policy selects has no rules', () => {
  expect(policyRules('node1', state())).not.toContain('jump');
});

test('a pod opens and accepts what a policy allows, and nothing else', () => {
  const rules = policyRules(
    'node1',
    state(
      policy('web', {
        ingress: [
          { from: [{ namespaceSelector: { matchLabels: { name: 'else' } } }], ports: [{ port: 8080 }] },
        ],
        egress: [
          {
            to: [{ podSelector: { matchLabels: { app: 'store' } } }],
            ports: [{ port: 5432, protocol: 'TCP' }],
          },
        ],
      }),
    ),
  );
  expect(linesOf(rules, 'ingress_10_244_1_2')).toEqual([
    'ip saddr { 10.244.1.4 } tcp dport 8080 return',
    'counter drop',
  ]);
  expect(linesOf(rules, 'egress_10_244_1_2')).toEqual([
    'ip daddr { 10.244.2.3 } tcp dport 5432 return',
    'counter drop',
  ]);
});

test('a node has rules for its own pods only', () => {
  const closed = policy('web', {});
  expect(policyRules('node1', state(closed))).toContain('ip daddr 10.244.1.2 jump ingress_10_244_1_2');
  expect(policyRules('node2', state(closed))).not.toContain('jump');
});

test('peers without a pod allow none, and absent peers allow all', () => {
  const rules = policyRules(
    'node1',
    state(
      policy('web', {
        ingress: [{ from: [{ podSelector: { matchLabels: { app: 'none' } } }] }],
        egress: [{}],
      }),
    ),
  );
  expect(linesOf(rules, 'ingress_10_244_1_2')).toEqual(['counter drop']);
  expect(linesOf(rules, 'egress_10_244_1_2')).toEqual(['return', 'counter drop']);
});

test('a block leaves out its exceptions, and IPv6 is not enforced', () => {
  const to = [
    { ipBlock: { cidr: '0.0.0.0/0', except: ['10.0.0.0/8', '169.254.0.0/16'] } },
    { ipBlock: { cidr: '2000::/3' } },
  ];
  const rules = policyRules(
    'node1',
    state(policy('web', { egress: [{ to, ports: [{ port: 443, endPort: 444 }] }] })),
  );
  expect(linesOf(rules, 'egress_10_244_1_2')).toEqual([
    'ip daddr 0.0.0.0/0 ip daddr != { 10.0.0.0/8, 169.254.0.0/16 } tcp dport 443-444 return',
    'counter drop',
  ]);
  expect(rules).not.toContain('2000::');
});

test('a port by name is refused', () => {
  const named = policy('web', { ingress: [{ ports: [{ port: 'http' }] }] });
  expect(() => policyRules('node1', state(named))).toThrow('The port http of a policy is a name');
});
