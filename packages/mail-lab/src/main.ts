import { catalogAsTable } from './catalog-text.ts';
import type { LabMessage, LabRequest } from './counts.ts';
import { type MailLab, startMailLab } from './lab.ts';

/** Runs the lab as a separate process. */

const usage = `Usage: node src/main.ts [--list | --help]

Runs a small mail internet on loopback until it is stopped: a name server, mail hosts and web hosts.
Prints one JSON line once it is ready, or sends it to the parent when started with an IPC channel.
What the catalog does not script is reported on standard error.

  --list   print the catalog: domains, stories and expected verdicts
  --help   print this

Settings (environment):
  MAIL_LAB_DNS_PORT       name server port, UDP and TCP (any free one)
  MAIL_LAB_SMTP_PORT      port of every mail host (25, or 2525 where 25 may not be bound)
  MAIL_LAB_ROUND_TRIP_MS  network latency to imitate, in milliseconds (0)
`;

const [argument] = process.argv.slice(2);
if (argument === '--help') {
  process.stdout.write(usage);
} else if (argument === '--list') {
  process.stdout.write(catalogAsTable());
} else if (argument !== undefined) {
  process.stderr.write(`Unknown argument ${argument}.\n\n${usage}`);
  process.exitCode = 2;
} else {
  await run();
}

async function run(): Promise<void> {
  const smtpPort = numberFrom('MAIL_LAB_SMTP_PORT', 65_535);
  const dnsPort = numberFrom('MAIL_LAB_DNS_PORT', 65_535);
  const roundTripMs = numberFrom('MAIL_LAB_ROUND_TRIP_MS', 60_000);
  let stopped = false;
  let lab: MailLab | undefined;
  const stop = (): void => {
    stopped = true;
    void lab?.close();
    // An open channel to the parent would keep the process alive.
    if (process.connected) process.disconnect();
  };
  // A killed parent cannot send a message, but its side of the channel closes, which is enough.
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, stop);
  process.once('disconnect', stop);

  lab = await startMailLab({
    ...(smtpPort !== undefined && { smtpPort }),
    ...(dnsPort !== undefined && { dnsPort }),
    ...(roundTripMs !== undefined && { roundTripMs }),
    onUnscripted: what => process.stderr.write(`Not in the catalog: ${what}\n`),
  });
  if (stopped) {
    await lab.close();
    return;
  }
  process.on('message', (request: LabRequest) => serve(lab, request));
  const { dnsServer, httpsPort, caCertificatePem, allowedRanges } = lab;
  const ready = { dnsServer, smtpPort: lab.smtpPort, httpsPort, caCertificatePem, allowedRanges };
  tell({ type: 'ready', ...ready });
}

function serve(lab: MailLab, request: LabRequest): void {
  switch (request.type) {
    case 'counts':
      tell({ type: 'counts', counts: lab.counts() });
      break;
    case 'reset_counts':
      lab.resetCounts();
      break;
    case 'set_round_trip':
      lab.setRoundTripMs(request.roundTripMs);
      break;
    default:
      process.stderr.write(`Unknown request from the parent: ${JSON.stringify(request)}\n`);
  }
}

function tell(message: LabMessage): void {
  if (process.send !== undefined) process.send(message);
  else process.stdout.write(`${JSON.stringify(message)}\n`);
}

function numberFrom(name: string, max: number): number | undefined {
  const text = process.env[name];
  if (text === undefined || text === '') return undefined;
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0 && value <= max) return value;
  throw new RangeError(`${name} is a whole number from 0 to ${max}, not ${text}.`);
}
