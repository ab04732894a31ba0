import { relative } from 'node:path';
import { parseArgs } from 'node:util';
import { withBenchHouse } from '../bench/bench-house.ts';
import { untilStopped } from '../bench/until-stopped.ts';
import { type Customer, createCustomer } from '../customer.ts';
import { waitFor } from '../deadline.ts';
import { validateFirstAddress } from '../first-validation.ts';
import type { House } from '../house.ts';
import { projectRoot } from '../project-root.ts';
import { freePort } from '../service-instances.ts';
import { type InspectedProcess, inspectProcess, nameOf } from './inspected-process.ts';
import { type ServiceWalk, walk } from './walk.ts';

/** Maximum number of files to open to follow a request. */
const filesMax = { validation: 80, forwarded: 25 } as const;

const help = `Usage: pnpm walk

Starts a Mailproof with its mail lab and lists the source files that a request runs, in the order in which it reaches
them, with the functions that ran:

  1. one validation, at a domain that is new to the engine, in all services
  2. one request that the gateway forwards (GET /app/v1/validation-jobs), in the gateway

An earlier request of the same kind has loaded what loads late. What services do without a request does not count.

  --help  print this

Exit codes:
  0  a validation runs at most ${filesMax.validation} files, a forwarded request at most ${filesMax.forwarded}
  1  one of them runs more, or a request failed
  2  wrong usage
`;

const exitCodes = { tooMany: 1, wrongUsage: 2 } as const;
const timeLimitMinutes = 3;
const requestTimeoutMs = 30_000;

/** Services in the order in which a validation reaches them. */
const services = ['gateway', 'credit-ledger', 'validation-engine'] as const;

/** Long intervals, so that timers do not run during requests. */
const rareTimers = {
  OUTBOX_INTERVAL_MS: '60000',
  HOLD_SWEEP_INTERVAL_MS: '600000',
  BILLING_RENEWAL_INTERVAL_MS: '3600000',
};

process.exitCode = await main(process.argv.slice(2));

async function main(args: string[]): Promise<number> {
  try {
    const { values } = parseArgs({ args, options: { help: { type: 'boolean' } } });
    if (!values.help) {
      return await untilStopped(timeLimitMinutes, signal =>
        withBenchHouse({ only: services, signal }, walkThrough),
      );
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n${help}`);
    return exitCodes.wrongUsage;
  }
  process.stdout.write(help);
  return 0;
}

async function walkThrough(house: House): Promise<number> {
  const [gatewayUrl = ''] = house.gatewayUrls;
  const customer = await createCustomer(house, { plan: 'custom', credits: 10 });
  await waitFor('The credits arrive', () => creditsOf(gatewayUrl, customer), {
    deadlineMs: requestTimeoutMs,
  });
  const processes = await Promise.all(services.map(service => restartInspected(house, service)));
  try {
    const validate = (email: string) => () => validateFirstAddress(email, gatewayUrl, customer);
    const validation = await walk(processes, [
      validate('ada@exim.example'),
      validate('ada@ordinary.example'),
      validate('ada@qmail.example'),
    ]);
    const list = await listing(gatewayUrl, customer);
    const inGateway = processes.filter(({ service }) => service === 'gateway');
    const forwarded = await walk(inGateway, [list, list, list]);
    const areKept = [
      report('A validation', validation, filesMax.validation),
      report('A forwarded request', forwarded, filesMax.forwarded),
    ];
    return areKept.every(isKept => isKept) ? 0 : exitCodes.tooMany;
  } finally {
    for (const process of processes) process.close();
  }
}

async function restartInspected(house: House, service: (typeof services)[number]): Promise<InspectedProcess> {
  const port = await freePort();
  await house.services[service]?.restart({ ...rareTimers, NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  return inspectProcess(service, port);
}

/** Prints a walk and returns whether it is within its bound. A file that several services run counts once. */
function report(title: string, walked: readonly ServiceWalk[], bound: number): boolean {
  const files = new Set(walked.flatMap(each => each.files.map(({ file }) => file)));
  const functions = walked.flatMap(each => each.files.flatMap(file => file.functions));
  const isKept = files.size <= bound;
  const lines = [
    `${title}: ${files.size} files, ${functions.length} functions (${isKept ? 'at most' : 'MISSED: at most'} ${bound} files)`,
    ...walked.flatMap(each => [
      `  ${each.service}: ${each.files.length} files`,
      ...each.files.map(
        ({ file, functions: ran }) => `    ${relative(projectRoot, file)}: ${ran.map(nameOf).join(', ')}`,
      ),
    ]),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return isKept;
}

async function creditsOf(gatewayUrl: string, { apiKey }: Customer): Promise<number> {
  const response = await request(`${gatewayUrl}/api/v1/me`, { headers: { 'x-api-key': apiKey } });
  return ((await response.json()) as { readonly credits: number }).credits;
}

/** Signs in and returns a request for a list of the application. */
async function listing(gatewayUrl: string, { email, password }: Customer): Promise<() => Promise<string>> {
  const { headers } = await request(`${gatewayUrl}/app/v1/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  const cookie = headers
    .getSetCookie()
    .map(line => line.slice(0, line.indexOf(';')))
    .join('; ');
  return async () => (await request(`${gatewayUrl}/app/v1/validation-jobs`, { headers: { cookie } })).text();
}

async function request(url: string, init: RequestInit): Promise<Response> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(requestTimeoutMs) });
  if (!response.ok) throw new Error(`${url} answers ${response.status}: ${await response.text()}`);
  return response;
}
