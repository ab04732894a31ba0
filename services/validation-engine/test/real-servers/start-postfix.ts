import type { ServerRoot } from './server-root.ts';

export interface PostfixPlan {
  /** The name in the instance's folders. */
  readonly name: string;
  readonly host: string;
  readonly address: string;
  readonly port: number;
  /** Settings in addition to those of every instance. */
  readonly main?: Readonly<Record<string, string>>;
  /** Lookup tables by file name, read as `texthash:$config_directory/<name>`. */
  readonly tables?: Readonly<Record<string, readonly string[]>>;
  /** Settings of the SMTP service only, in the format of `-o`. */
  readonly serviceOptions?: readonly string[];
  /** Lines of master.cf that replace the plain SMTP service. */
  readonly smtpServices?: readonly string[];
}

/** Domains and recipients of most instances, one of each kind. */
export function knownRecipients(recipients: readonly string[], catchAllDomains: readonly string[] = []) {
  const domains = [...new Set(recipients.map(recipient => recipient.slice(recipient.lastIndexOf('@') + 1)))];
  return {
    main: {
      virtual_mailbox_domains: [...domains, ...catchAllDomains].join(' '),
      virtual_mailbox_maps: table('mailboxes'),
    },
    tables: {
      mailboxes: [
        ...recipients.map(recipient => `${recipient} there/`),
        ...catchAllDomains.map(domain => `@${domain} there/`),
      ],
    },
  };
}

export function table(name: string): string {
  return `texthash:$config_directory/${name}`;
}

/** Starts an instance of Postfix with its own configuration, queue and data. */
export async function startPostfix(root: ServerRoot, plan: PostfixPlan): Promise<void> {
  const config = `/etc/postfix-${plan.name}`;
  const queue = `/var/spool/postfix-${plan.name}`;
  const log = `/var/log/${plan.name}.log`;
  makeQueue(root, queue);
  root.makeFolder(`/var/lib/postfix-${plan.name}`, { mode: 0o700, owner: 'postfix' });
  root.write(log, '', { owner: 'postfix' });
  const settings = {
    compatibility_level: '3.6',
    config_directory: config,
    queue_directory: queue,
    data_directory: `/var/lib/postfix-${plan.name}`,
    maillog_file: log,
    myhostname: plan.host,
    mydestination: '',
    // The services name their addresses: this setting accepts only addresses of an interface.
    inet_interfaces: '127.0.0.1',
    inet_protocols: 'ipv4',
    // No client is local: we are a stranger like any other, also for every limit.
    mynetworks: '192.0.2.0/24',
    smtpd_client_event_limit_exceptions: '',
    local_recipient_maps: '',
    alias_maps: '',
    alias_database: '',
    virtual_transport: 'discard',
    virtual_mailbox_base: '/var/mail',
    ...plan.main,
  };
  root.write(
    `${config}/main.cf`,
    Object.entries(settings)
      .map(([name, value]) => `${name} = ${value}\n`)
      .join(''),
  );
  root.write(`${config}/master.cf`, masterFile(plan));
  for (const [name, lines] of Object.entries(plan.tables ?? {})) {
    root.write(`${config}/${name}`, `${lines.join('\n')}\n`);
  }
  await root.start('/usr/lib/postfix/sbin/master', ['-c', config], { ...plan, log });
}

/** Creates what `postfix start` would create; that command needs a shell and the tools of a whole system. */
function makeQueue(root: ServerRoot, queue: string): void {
  root.makeFolder(queue);
  root.makeFolder(`${queue}/pid`);
  const own = ['active', 'bounce', 'corrupt', 'defer', 'deferred', 'flush', 'hold', 'incoming', 'private'];
  for (const name of [...own, 'saved', 'trace']) {
    root.makeFolder(`${queue}/${name}`, { mode: 0o700, owner: 'postfix', group: 'root' });
  }
  root.makeFolder(`${queue}/maildrop`, { mode: 0o730, owner: 'postfix', group: 'postdrop' });
  root.makeFolder(`${queue}/public`, { mode: 0o710, owner: 'postfix', group: 'postdrop' });
}

/** Debian's services, without a chroot for each: the whole server has one. */
function masterFile({ address, port, serviceOptions = [], smtpServices }: PostfixPlan): string {
  return `${[
    ...(smtpServices ?? [
      `${address}:${port} inet n - n - - smtpd${serviceOptions.map(option => ` -o ${option}`).join('')}`,
    ]),
    'cleanup unix n - n - 0 cleanup',
    'qmgr unix n - n 300 1 qmgr',
    'tlsmgr unix - - n 1000? 1 tlsmgr',
    'rewrite unix - - n - - trivial-rewrite',
    'bounce unix - - n - 0 bounce',
    'defer unix - - n - 0 bounce',
    'trace unix - - n - 0 bounce',
    'verify unix - - n - 1 verify',
    'proxymap unix - - n - - proxymap',
    'smtp unix - - n - - smtp',
    'error unix - - n - - error',
    'retry unix - - n - - error',
    'discard unix - - n - - discard',
    'local unix - n n - - local',
    'virtual unix - n n - - virtual',
    'anvil unix - - n - 1 anvil',
    'scache unix - - n - 1 scache',
    'postlog unix-dgram n - n - 1 postlogd',
  ].join('\n')}\n`;
}
