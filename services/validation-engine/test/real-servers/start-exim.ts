import type { ServerRoot } from './server-root.ts';

export interface EximPlan {
  readonly name: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Lines of the main section in addition to those of every instance. */
  readonly main?: readonly string[];
  /** Lines of the RCPT ACL; `accept` follows them. */
  readonly rcpt: readonly string[];
  readonly connect?: readonly string[];
  readonly routers: readonly string[];
}

/** Starts an instance of Exim with its own configuration, spool and log. */
export async function startExim(root: ServerRoot, plan: EximPlan): Promise<void> {
  const { name, host, address, port } = plan;
  const config = `/etc/exim-${name}.conf`;
  const spool = `/var/spool/exim-${name}`;
  const log = `/var/log/exim-${name}`;
  root.makeFolder(spool, { mode: 0o750, owner: 'Debian-exim' });
  root.makeFolder(log, { mode: 0o750, owner: 'Debian-exim' });
  const lines = [
    `primary_hostname = ${host}`,
    `spool_directory = ${spool}`,
    `log_file_path = ${log}/%slog`,
    `pid_file_path = /run/exim-${name}.pid`,
    `daemon_smtp_ports = ${port}`,
    `local_interfaces = ${address}`,
    'exim_user = Debian-exim',
    'exim_group = Debian-exim',
    'never_users = root',
    // There is no ident server to ask, and none is needed.
    'rfc1413_query_timeout = 0s',
    'disable_ipv6 = true',
    'acl_smtp_connect = connection',
    'acl_smtp_rcpt = recipient',
    ...(plan.main ?? []),
    'begin acl',
    'connection:',
    ...(plan.connect ?? []),
    '  accept',
    'recipient:',
    ...plan.rcpt,
    '  accept',
    'begin routers',
    ...plan.routers,
    'begin transports',
    'nowhere:',
    '  driver = appendfile',
    '  file = /dev/null',
    '  user = nobody',
    'onwards:',
    '  driver = smtp',
    `  port = ${port}`,
  ];
  root.write(config, `${lines.join('\n')}\n`);
  await root.start('/usr/sbin/exim4', ['-C', config, '-bdf', '-q30m'], {
    address,
    port,
    log: `${log}/mainlog`,
  });
}

/** A router that accepts the given recipients of a domain, or all of them. */
export function knows(domain: string, localParts: readonly string[] | 'everybody'): string[] {
  return [
    `${domain.replaceAll(/\W/g, '_')}:`,
    '  driver = accept',
    `  domains = ${domain}`,
    ...(localParts === 'everybody' ? [] : [`  local_parts = ${localParts.join(' : ')}`]),
    '  transport = nowhere',
  ];
}
