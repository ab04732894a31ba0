import { describe, expect, it } from '@jest/globals';
import { connectionsIn, reachOfInternet } from './connections.ts';
import { readManifests } from './manifests.ts';

const pods = `
kind: Pod
apiVersion: v1
metadata: { name: shop, labels: { app.kubernetes.io/component: shop } }
spec: { containers: [{ name: shop }] }
---
kind: Deployment
apiVersion: apps/v1
metadata: { name: till }
spec:
  template:
    metadata: { labels: { app.kubernetes.io/component: till } }
    spec: { containers: [{ name: till }] }
`;

interface Rules {
  readonly ingress?: string;
  readonly egress?: string;
}

function policy(component: string, { ingress = '[]', egress = '[]' }: Rules): string {
  return `
---
kind: NetworkPolicy
apiVersion: networking.k8s.io/v1
metadata: { name: ${component} }
spec:
  podSelector: { matchLabels: { app.kubernetes.io/component: ${component} } }
  policyTypes: [Ingress, Egress]
  ingress: ${ingress}
  egress: ${egress}
`;
}

function connections(...policies: readonly string[]): string[] {
  return connectionsIn(readManifests([pods, ...policies].join('')));
}

function component(name: string): string {
  return `{ podSelector: { matchLabels: { app.kubernetes.io/component: ${name} } } }`;
}

describe('the connections that policies let through', () => {
  it('are all if no policy selects a pod', () => {
    expect(connections()).toEqual([
      'anyone -> shop: any port',
      'anyone -> till: any port',
      'shop -> anyone: any port',
      'shop -> till: any port',
      'till -> anyone: any port',
      'till -> shop: any port',
    ]);
  });

  it('are none if a policy that selects every pod names no peers', () => {
    expect(connections(policy('shop', {}), policy('till', {}))).toEqual([]);
  });

  it('need both ends to agree, on the port as well', () => {
    const till = policy('till', {
      ingress: `[{ from: [${component('shop')}], ports: [{ port: 8080 }, { port: 9464 }] }]`,
    });
    const shop = (ports: string) =>
      policy('shop', { egress: `[{ to: [${component('till')}], ports: ${ports} }]` });
    expect(connections(shop('[{ port: 8080 }]'), till)).toEqual(['shop -> till: TCP 8080']);
    expect(connections(shop('[{ port: 80 }]'), till)).toEqual([]);
    expect(connections(policy('shop', {}), till)).toEqual([]);
    expect(connections(shop('[{ port: 8080 }]'), policy('till', {}))).toEqual([]);
  });

  it('name the sources that a rule without peers allows', () => {
    expect(
      connections(policy('shop', { ingress: '[{ ports: [{ port: 8080 }] }]' }), policy('till', {})),
    ).toEqual(['anyone -> shop: TCP 8080']);
  });

  it('tell private addresses that pass for the internet', () => {
    const everywhere = policy('shop', {
      egress: '[{ to: [{ ipBlock: { cidr: 0.0.0.0/0, except: [10.0.0.0/8] } }], ports: [{ port: 443 }] }]',
    });
    const [line = ''] = connections(everywhere, policy('till', {}));
    expect(line).toMatch(/^shop -> internet \(0\.0\.0\.0\/0\) WITH .*169\.254\.169\.254.*: TCP 443$/);
    expect(line).not.toContain(' 10.0.0.1');
    expect(reachOfInternet([line])).toEqual(new Map([['TCP 443', ['shop']]]));
  });

  it('count a pod that may reach any address among those that reach the internet', () => {
    expect(reachOfInternet(connections(policy('till', {})))).toEqual(new Map([['any port', ['shop']]]));
  });
});
