import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { createInterface } from 'node:readline';
import { composeContact } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { type Deadline, deadlineAfter } from '../src/domain/concurrency/deadline.ts';
import type { MailDns } from '../src/domain/dns/mail-dns.ts';
import type { Prober, ProberAnswer } from './prober.ts';
import { createSlots } from './slots.ts';

/**
 * Does what most checkers do, but well: it finds the MX host, then opens one session per address with one command at a
 * time, and asks about a made-up recipient after an accepted one. It has the engine's own DNS client with its cache and
 * the engine's cap on sessions per host, so that only the sessions differ.
 */
export function createPlainProber(settings: Readonly<Record<string, string>>, deadlineMs: number): Prober {
  const config = loadValidationConfig(settings);
  const { dns, guard, clock } = composeContact(config);
  const visitHost = createSlots(config.VALIDATION_SESSIONS_PER_HOST_MAX);
  return {
    async probe(address) {
      const deadline = deadlineAfter(clock, deadlineMs, new AbortController().signal);
      const domain = address.slice(address.lastIndexOf('@') + 1);
      const host = await findHost(dns, domain, deadline);
      if (host === undefined || !guard(host).allowed) {
        return { result: 'unknown' };
      }
      let answer: ProberAnswer = { result: 'unknown' };
      await visitHost(host, async () => {
        answer = await askHost(
          { host, port: config.VALIDATION_SMTP_PORT, timeoutMs: deadline.remainingMs() },
          config.VALIDATION_HELO_NAME ?? 'localhost',
          address,
          `${randomBytes(8).toString('hex')}@${domain}`,
        );
      });
      return answer;
    },
    async close() {
      // Each session has already ended with its address.
    },
  };
}

/** The address of the preferred host; each domain of the benchmark has one host. */
async function findHost(dns: MailDns, domain: string, deadline: Deadline): Promise<string | undefined> {
  const mx = await dns.resolveMx(domain, deadline);
  const records = mx.kind === 'answer' ? mx.records : [];
  const [preferred] = [...records].sort((one, other) => one.preference - other.preference);
  const host = preferred && (await dns.resolveAddresses(preferred.exchange, 4, deadline));
  return host?.kind === 'answer' ? host.records[0] : undefined;
}

/** Holds one session, with one question after the other. */
async function askHost(
  { host, port, timeoutMs }: { host: string; port: number; timeoutMs: number },
  heloName: string,
  address: string,
  madeUp: string,
): Promise<ProberAnswer> {
  const socket = connect({ host, port, noDelay: true });
  socket.setTimeout(timeoutMs, () => socket.destroy());
  // A broken session appears as the end of its lines.
  socket.on('error', () => undefined);
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  async function reply(): Promise<number> {
    for (;;) {
      const { value, done } = await lines.next();
      if (done) {
        return 0;
      }
      if (/^\d{3}(?: |$)/.test(value)) {
        return Number(value.slice(0, 3));
      }
    }
  }
  async function say(command: string): Promise<number> {
    socket.write(`${command}\r\n`);
    return reply();
  }
  try {
    const isOpen =
      (await reply()) === 220 &&
      (await say(`EHLO ${heloName}`)) === 250 &&
      (await say('MAIL FROM:<>')) === 250;
    const real = isOpen ? await say(`RCPT TO:<${address}>`) : 0;
    const random = real === 250 ? await say(`RCPT TO:<${madeUp}>`) : 0;
    await say('QUIT');
    return { result: resultOf(real, random) };
  } finally {
    socket.destroy();
  }
}

function resultOf(real: number, madeUp: number): string {
  if (real === 250) {
    return madeUp === 250 ? 'catch_all' : madeUp === 550 ? 'ok' : 'unknown';
  }
  return real === 550 ? 'invalid' : 'unknown';
}
