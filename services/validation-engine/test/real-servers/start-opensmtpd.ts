import type { ServerRoot } from './server-root.ts';

export interface OpenSmtpdPlan {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Look-up tables by name. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Lines ahead of the one that listens, such as filters. */
  readonly before?: readonly string[];
  /** What stands behind `listen on`, such as options of the listener. */
  readonly listener?: string;
  readonly actions: readonly string[];
}

/** Starts OpenSMTPD. The places of its queue and its sockets are built in, so a root has room for one. */
export async function startOpenSmtpd(root: ServerRoot, plan: OpenSmtpdPlan): Promise<void> {
  const { host, address, port } = plan;
  root.makeFolder('var/lib/opensmtpd/empty');
  root.makeFolder('var/spool/smtpd', { mode: 0o711 });
  root.makeFolder('var/run');
  root.write('etc/mailname', `${host}\n`);
  for (const [name, lines] of Object.entries(plan.tables)) {
    root.write(`etc/smtpd-${name}`, `${lines.join('\n')}\n`);
  }
  const lines = [
    ...Object.keys(plan.tables).map(name => `table ${name} file:/etc/smtpd-${name}`),
    ...(plan.before ?? []),
    `listen on ${address} port ${port} hostname ${host} ${plan.listener ?? ''}`,
    ...plan.actions,
  ];
  root.write('etc/smtpd.conf', `${lines.join('\n')}\n`, { mode: 0o600 });
  await root.start('/usr/sbin/smtpd', ['-d', '-f', '/etc/smtpd.conf'], { address, port });
}
