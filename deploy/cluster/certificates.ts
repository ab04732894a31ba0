import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The files of a cluster's certificates, and kubeconfigs that use them. */
export interface Certificates {
  readonly folder: string;
  /** The kubeconfig of a user. */
  kubeconfig(user: string): string;
}

export interface CertificateOptions {
  readonly folder: string;
  readonly server: string;
  /** Addresses at which the API server answers. */
  readonly apiAddresses: readonly string[];
  readonly nodes: readonly { readonly name: string; readonly address: string }[];
}

const days = '7';

/** Creates a certificate authority, and a certificate for each part of the cluster, valid for a week. */
export function createCertificates({
  folder,
  server,
  apiAddresses,
  nodes,
}: CertificateOptions): Certificates {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const at = (file: string): string => join(folder, file);
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
  openssl(
    'req',
    '-x509',
    ...newKey,
    '-days',
    days,
    '-subj',
    '/CN=cluster',
    '-keyout',
    at('ca.key'),
    '-out',
    at('ca.crt'),
  );
  openssl('genrsa', '-out', at('accounts.key'), '2048');
  openssl('rsa', '-in', at('accounts.key'), '-pubout', '-out', at('accounts.pub'));
  const kubeconfig = (user: string): string => at(`${user}.kubeconfig`);

  const issue = (name: string, subject: string, names: readonly string[] = []): void => {
    const extensions = [
      'extendedKeyUsage=serverAuth,clientAuth',
      ...(names.length > 0 ? [`subjectAltName=${names}`] : []),
    ];
    writeFileSync(at(`${name}.ext`), extensions.join('\n'));
    openssl('req', ...newKey, '-subj', subject, '-keyout', at(`${name}.key`), '-out', at(`${name}.csr`));
    openssl(
      ...[
        'x509',
        '-req',
        '-in',
        at(`${name}.csr`),
        '-CA',
        at('ca.crt'),
        '-CAkey',
        at('ca.key'),
        '-CAcreateserial',
      ],
      ...['-days', days, '-extfile', at(`${name}.ext`), '-out', at(`${name}.crt`)],
    );
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [{ name: 'cluster', cluster: { server, 'certificate-authority': at('ca.crt') } }],
      users: [{ name, user: { 'client-certificate': at(`${name}.crt`), 'client-key': at(`${name}.key`) } }],
      contexts: [{ name, context: { cluster: 'cluster', user: name } }],
      'current-context': name,
    };
    writeFileSync(kubeconfig(name), JSON.stringify(config), { mode: 0o600 });
  };

  const service = ['kubernetes', 'kubernetes.default', 'kubernetes.default.svc'].map(name => `DNS:${name}`);
  issue('api-server', '/CN=kube-apiserver', [...service, ...apiAddresses.map(address => `IP:${address}`)]);
  issue('external-metrics', '/CN=external-metrics', ['DNS:external-metrics.kube-system.svc']);
  issue('admin', '/O=system:masters/CN=admin');
  issue('kubelet-client', '/O=system:masters/CN=apiserver-kubelet-client');
  issue('controllers', '/CN=system:kube-controller-manager');
  issue('scheduler', '/CN=system:kube-scheduler');
  issue('proxy', '/CN=system:kube-proxy');
  for (const { name, address } of nodes)
    issue(name, `/O=system:nodes/CN=system:node:${name}`, [`DNS:${name}`, `IP:${address}`]);
  return { folder, kubeconfig };
}

function openssl(...args: readonly string[]): void {
  // It reports progress as errors; a failure contains them.
  execFileSync('openssl', args, { stdio: 'pipe' });
}
