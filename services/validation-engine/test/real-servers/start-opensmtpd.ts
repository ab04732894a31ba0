import type { ServerRoot } from './server-root.ts';

export interface OpenSmtpdPlan {
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Lookup tables by name. */
  readonly tables: Readonly<Record<string, readonly string[]>>;
  /** Lines before the `listen on` line, such as filters. */
  readonly before?: readonly string[];
  /** The text after `listen on`, such as options of the listener. */
  readonly listener?: string;
  readonly actions: readonly string[];
}

/** Starts OpenSMTPD. The paths of its queue and sockets are built in, so a root has room for only one instance. */
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
