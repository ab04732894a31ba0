/** Manifests of the cluster's own: DNS, and the volumes of the bundled stores. */

const dnsLabels = { 'k8s-app': 'kube-dns' };
const dns = { name: 'coredns', namespace: 'kube-system' };
const role = 'system:coredns';

const corefile = `.:53 {
  errors
  health :8080 {
    lameduck 5s
  }
  ready :8181
  kubernetes cluster.local in-addr.arpa { ttl 5 }
  cache 5
}
`;

/**
 * CoreDNS for the cluster's names; it forwards no others. A drain leaves one of its pods until another is ready, and one
 * that ends answers until no node sends it queries any more, as kubeadm sets it up.
 */
export function clusterServices(serviceAddress: string): object[] {
  return [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: dns },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRole',
      metadata: { name: role },
      rules: [
        {
          apiGroups: [''],
          resources: ['endpoints', 'services', 'pods', 'namespaces'],
          verbs: ['list', 'watch'],
        },
        { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
      ],
    },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: role },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ kind: 'ServiceAccount', ...dns }],
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: dns, data: { Corefile: corefile } },
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...dns, labels: dnsLabels },
      spec: {
        replicas: 2,
        selector: { matchLabels: dnsLabels },
        template: {
          metadata: { labels: dnsLabels },
          spec: {
            serviceAccountName: dns.name,
            topologySpreadConstraints: [
              {
                maxSkew: 1,
                topologyKey: 'kubernetes.io/hostname',
                whenUnsatisfiable: 'ScheduleAnyway',
                labelSelector: { matchLabels: dnsLabels },
              },
            ],
            containers: [
              {
                name: dns.name,
                image: 'localhost/coredns:1',
                imagePullPolicy: 'Never',
                args: ['-conf', '/etc/coredns/Corefile'],
                securityContext: { runAsUser: 0 },
                readinessProbe: { httpGet: { path: '/ready', port: 8181 }, periodSeconds: 2 },
                volumeMounts: [{ name: 'config', mountPath: '/etc/coredns' }],
              },
            ],
            volumes: [{ name: 'config', configMap: { name: dns.name } }],
          },
        },
      },
    },
    {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: dns,
      spec: { minAvailable: 1, selector: { matchLabels: dnsLabels } },
    },
    {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kube-dns', namespace: dns.namespace, labels: dnsLabels },
      spec: {
        clusterIP: serviceAddress,
        selector: dnsLabels,
        ports: [
          { name: 'dns', port: 53, protocol: 'UDP' },
          { name: 'dns-tcp', port: 53, protocol: 'TCP' },
        ],
      },
    },
  ];
}

/**
 * The API server's admission: only pods that fulfill Pod Security `restricted` start, except those of the cluster and
 * those in the namespace `default`.
 */
export function admission(): object {
  const configuration = {
    apiVersion: 'pod-security.admission.config.k8s.io/v1',
    kind: 'PodSecurityConfiguration',
    defaults: { enforce: 'restricted', warn: 'restricted' },
    exemptions: { namespaces: ['default', dns.namespace] },
  };
  return {
    apiVersion: 'apiserver.config.k8s.io/v1',
    kind: 'AdmissionConfiguration',
    plugins: [{ name: 'PodSecurity', configuration }],
  };
}

/** A volume on the nodes' common file system for a claim of a bundled store. */
export function storeVolume(namespace: string, claim: string, path: string, storage: string): object {
  return {
    apiVersion: 'v1',
    kind: 'PersistentVolume',
    metadata: { name: claim },
    spec: {
      capacity: { storage },
      accessModes: ['ReadWriteOnce'],
      hostPath: { path },
      claimRef: { namespace, name: claim },
      persistentVolumeReclaimPolicy: 'Retain',
    },
  };
}
