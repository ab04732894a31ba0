import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { services } from '@mailproof/installation';
import { keepDemoAccount } from './demo-account.ts';
import { keepDemoProfiles } from './demo-profiles.ts';
import { firstAddress, profileLine, validateFirstAddress, validationLine } from './first-validation.ts';
import { type House, type HouseOptions, startHouse } from './house.ts';
import { stopRequested } from './processes.ts';
import { stateDirectory } from './project-root.ts';
import type { Environment } from './service-environment.ts';
import {
  announceUrl,
  claimStateDirectory,
  environmentFile,
  makeStateDirectory,
  releaseStateDirectory,
  stateFiles,
  writePrivateJson,
} from './state-files.ts';

const preferredPorts = { gateway: 8080, toolServer: 8090 } as const;

const help = `Usage: npm start [-- --help]

Starts Mailproof on this machine: Postgres and Redis (unless given), the mail lab (a small mail internet on
loopback) and every service; creates a demo account and validates a first address. Press Ctrl-C to stop everything.

Settings, all optional, from the environment:
  PORT                     preferred port of the gateway (${preferredPorts.gateway})
  MCP_PORT                 preferred port of the tool server (${preferredPorts.toolServer})
  DATABASE_URL             administrator URL of an existing Postgres server to use instead
  REDIS_URL                administrator URL of an existing Redis server to use instead
  VALIDATION_DNS_SERVERS   DNS servers of the real internet (host:port list, or "system"); disables the mail lab
  OUTBOUND_ALLOWED_PRIVATE_RANGES  private IP ranges allowed for webhook receivers and profile providers;
                           defaults to loopback with the mail lab
  MAIL_SMTP_URL            SMTP server for mail to users; without it, mail is only written to files
  MAILPROOF_FIRST_ADDRESS  the first address to validate; required for a first validation without the lab
  MAILPROOF_STATE_DIR      folder for data, secrets and logs (.mailproof)
All other settings are passed to the services.`;

await main();

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: { help: { type: 'boolean', short: 'h' } },
    allowPositionals: false,
  });
  if (values.help) return console.log(help);
  const stateDir = stateDirectory();
  await makeStateDirectory(stateDir);
  const earlier = claimStateDirectory(stateDir);
  if (earlier) {
    const where = earlier.url ? `at ${earlier.url}` : 'and still starting';
    console.error(`Mailproof is already running from this checkout (process ${earlier.pid}), ${where}.`);
    process.exitCode = 1;
    return;
  }
  process.once('exit', () => releaseStateDirectory(stateDir));
  process.exitCode = await run(stateDir);
  // Otherwise the channel to the bootstrap script would keep this process alive.
  process.exit();
}

async function run(stateDir: string): Promise<number> {
  const report = createProgress();
  const cancellation = new AbortController();
  const { promise: loss, resolve: lose } = Promise.withResolvers<string>();
  const ending = Promise.race([
    stopRequested().then(reason => ({ exitCode: 0, sentence: `Stopping, because of ${reason}.` })),
    loss.then(sentence => ({ exitCode: 1, sentence: `${sentence} Stopping the rest.` })),
  ]);
  let house: House | undefined;
  async function open(): Promise<void> {
    house = await startHouse({
      stateDir,
      databaseAdminUrl: process.env['DATABASE_URL'] || undefined,
      redisUrl: process.env['REDIS_URL'] || undefined,
      preferredPorts: {
        gateway: Number(process.env['PORT']) || preferredPorts.gateway,
        'mcp-server': Number(process.env['MCP_PORT']) || preferredPorts.toolServer,
      },
      lab: true,
      env: receiversOnThisMachine(),
      isDurable: true,
      signal: cancellation.signal,
      report,
      onLost: lose,
    });
    await welcome(house, stateDir, report);
  }
  const opening = open();
  try {
    const { exitCode, sentence } = await Promise.race([opening.then(() => ending), ending]);
    report(sentence);
    return exitCode;
  } catch (error) {
    console.error(`\nMailproof did not start. ${(error as Error).message}`);
    return 1;
  } finally {
    if (!house) cancellation.abort();
    await opening.catch(() => undefined);
    await house?.stop();
    report('Stopped.');
  }
}

/** With the mail lab, receivers of rows may be on this machine too. The user's own setting takes precedence. */
function receiversOnThisMachine(): NonNullable<HouseOptions['env']> {
  const { OUTBOUND_ALLOWED_PRIVATE_RANGES, VALIDATION_DNS_SERVERS } = process.env;
  if (OUTBOUND_ALLOWED_PRIVATE_RANGES !== undefined || VALIDATION_DNS_SERVERS) return {};
  const loopback = { OUTBOUND_ALLOWED_PRIVATE_RANGES: '127.0.0.0/8,::1/128' };
  return { enrichment: loopback, 'webhook-dispatcher': loopback };
}

async function welcome(house: House, stateDir: string, report: (sentence: string) => void): Promise<void> {
  const gatewayUrl = house.gatewayUrls[0] ?? '';
  const { gateway: gatewayEnvironment, 'mcp-server': toolServerEnvironment } = house.environments;
  const publicBaseUrl = gatewayEnvironment['PUBLIC_BASE_URL'] ?? gatewayUrl;
  const mcpBaseUrl = toolServerEnvironment['MCP_PUBLIC_BASE_URL'] ?? house.toolServerUrls[0] ?? '';
  await announceUrl(stateDir, publicBaseUrl);
  for (const { name } of services) {
    await writePrivateJson(
      join(stateDir, environmentFile(name)),
      operatorEnvironment(house.environments[name]),
    );
  }
  const account = await keepDemoAccount({
    stateDir,
    publicBaseUrl,
    mcpBaseUrl,
    gatewayUrl,
    gatewayEnvironment,
  });
  report(account.isNew ? 'Created the demo account.' : 'The demo account exists.');
  const profiles = await keepDemoProfiles({
    stateDir,
    account,
    enrichmentEnvironment: house.environments.enrichment,
    report,
  });

  const email = firstAddress(house.lab !== undefined);
  if (email) {
    const verdict = await validateFirstAddress(email, gatewayUrl, account);
    report(`First validation, of ${email}:\n${JSON.stringify(verdict, null, 2)}`);
  } else {
    report('No first validation: there is no mail lab, and MAILPROOF_FIRST_ADDRESS is not set.');
  }
  console.log(`
Mailproof is ready.
  App      ${account.appUrl}  (sign in as below)
  API      ${account.apiBaseUrl}
  Docs     ${account.docsUrl}
  MCP      ${account.mcpBaseUrl}/mcp  (add this URL to an assistant)
  API key  ${account.apiKey}  (also in ${join(stateDir, stateFiles.demo)})
  Sign in  ${account.email}, password ${account.password}
  Mail     ${house.mail ? join(stateDir, stateFiles.mail) : 'goes to the host in MAIL_SMTP_URL'}
  Logs     ${join(stateDir, stateFiles.logs)}

Try it:
  ${[
    validationLine(email ?? 'someone@example.com', account),
    ...(profiles ? [profileLine(profiles.profileUrl, account)] : []),
  ].join('\n  ')}

Press Ctrl-C to stop everything.
`);
}

/**
 * Returns the settings of a service that operator commands need. The user's whole environment must not be written to
 * disk.
 */
function operatorEnvironment(environment: Environment): Record<string, string> {
  const settings =
    /^((DATABASE|REDIS|.*_BASE|CREDIT_LEDGER|VALIDATION_ENGINE)_URL|.*_ENCRYPTION_KEYS|SERVICE_.*_KEYS?|SUPPRESSION_HASH_KEY|PEOPLE_RETENTION_DAYS)$/;
  return Object.fromEntries(Object.entries(environment).filter(([name]) => settings.test(name)));
}

/** Prints progress, each line with the seconds since the command began. */
function createProgress(write: (text: string) => void = text => void process.stdout.write(text)) {
  // The bootstrap script runs before this process, so its start is when the user pressed Enter.
  const startedAt = Number(process.env['MAILPROOF_BEGAN_AT']) || Date.now();
  return function report(sentence: string): void {
    const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
    write(`[${seconds.padStart(6)} s] ${sentence}\n`);
  };
}
