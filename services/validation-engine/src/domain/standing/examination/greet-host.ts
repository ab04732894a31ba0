import { type Deadline, within } from '../../concurrency/deadline.ts';
import type { MailHost } from '../../dns/find-mail-hosts.ts';
import { resolveHost } from '../../dns/find-mail-hosts.ts';
import type { SmtpConnection, SmtpConnector, SmtpOutcome } from '../../smtp/connection.ts';
import { formatReply } from '../../smtp/reply.ts';
import type { ContactPorts } from '../../validation/contact-hosts.ts';
import type { HostSeen } from './observations.ts';

const lookUpTimeoutMs = 4_000;
const connectTimeoutMs = 4_000;
/** Some hosts make unknown clients wait for the greeting. */
const greetingTimeoutMs = 10_000;
const ehloTimeoutMs = 5_000;
const quitTimeoutMs = 1_000;
const textCharactersMax = 160;

/** The ports needed to reach the hosts. */
export type GreetPorts = Pick<ContactPorts, 'dns' | 'guard' | 'clock'> & {
  readonly connector: SmtpConnector;
};

/** How the doctor identifies itself to the hosts. */
export interface Greeting {
  /** Without a name, EHLO uses our address literal (RFC 5321 section 4.1.4). */
  readonly heloName: string | undefined;
  /** EHLO is sent only to learn our address from its answer. */
  readonly learnAddress: boolean;
}

/** Waits for a host's greeting and quits. Asks about no mailbox. */
export async function greetHost(
  ports: GreetPorts,
  host: MailHost,
  greeting: Greeting,
  deadline: Deadline,
): Promise<HostSeen> {
  const resolved = await resolveHost(ports.dns, host.name, within(ports.clock, deadline, lookUpTimeoutMs));
  const address = (resolved.kind === 'addresses' ? resolved.addresses : [])
    .map(ports.guard)
    .find(guarded => guarded.allowed)?.address;
  if (address === undefined) {
    return { kind: 'not_contacted', host: host.name };
  }
  const startedAtMs = ports.clock.nowMs();
  const opened = await ports.connector.connect(address, within(ports.clock, deadline, connectTimeoutMs));
  if (opened.kind === 'failure') {
    return { kind: 'not_greeted', host: host.name, failure: opened.failure };
  }
  const { connection } = opened;
  try {
    const outcome = await connection.listen(within(ports.clock, deadline, greetingTimeoutMs));
    if (outcome.kind === 'failure') {
      return { kind: 'not_greeted', host: host.name, failure: outcome.failure };
    }
    const elapsedMs = ports.clock.nowMs() - startedAtMs;
    const { code } = outcome.reply;
    const ehlo =
      code === 220 && greeting.learnAddress
        ? await exchange(
            connection,
            `EHLO ${greeting.heloName ?? connection.localLiteral}`,
            within(ports.clock, deadline, ehloTimeoutMs),
          )
        : undefined;
    await takeLeave(ports, connection, deadline);
    return {
      kind: 'greeted',
      host: host.name,
      code,
      text: formatReply(outcome.reply).slice(4, 4 + textCharactersMax),
      elapsedMs,
      clientAddress: ehlo === undefined ? undefined : clientAddressIn(ehlo, ports),
    };
  } finally {
    connection.close();
  }
}

async function takeLeave(ports: GreetPorts, connection: SmtpConnection, deadline: Deadline): Promise<void> {
  await exchange(connection, 'QUIT', within(ports.clock, deadline, quitTimeoutMs));
}

async function exchange(
  connection: SmtpConnection,
  command: string,
  deadline: Deadline,
): Promise<SmtpOutcome> {
  return connection.send([command]) ?? connection.listen(deadline);
}

/** Many hosts answer EHLO with the address that they see, such as `mx.example.com at your service, [192.0.2.1]`. */
function clientAddressIn(ehlo: SmtpOutcome, { guard }: GreetPorts): string | undefined {
  const lines = ehlo.kind === 'reply' && ehlo.reply.code === 250 ? ehlo.reply.lines : [];
  return lines
    .flatMap(line => [...line.matchAll(/\[(?:IPv6:)?([\da-f.:]{3,45})\]/gi)])
    .map(([, address = '']) => guard(address))
    .find(guarded => guarded.allowed)?.address;
}
