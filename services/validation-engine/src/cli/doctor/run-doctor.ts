import { getServers } from 'node:dns';
import { parseEmailAddress } from '@mailproof/shared-types';
import { composeContact } from '../../compose.ts';
import { loadValidationConfig, type ValidationConfig } from '../../config.ts';
import { createAddressGuard } from '../../domain/address-guard.ts';
import { exitCodes } from '../exit-codes.ts';
import { paint, type Terminal, UsageError, write } from '../terminal.ts';
import { blockLists } from './block-lists.ts';
import { countFailed } from './finding.ts';
import { judge } from './judge.ts';
import { type DoctorPorts, type LookAroundOptions, lookAround } from './look-around.ts';
import { toJson, toText } from './report.ts';
import { createReverseDns } from './reverse-dns.ts';

export interface DoctorOptions {
  readonly probeDomain?: readonly string[];
  readonly publicAddress?: string;
  readonly blocklists: boolean;
  readonly json?: true;
  readonly lab?: true;
}

/** Hosts that are always there, greet everybody, and say from where they see us. */
const probeDomainsDefault = ['gmail.com', 'outlook.com'] as const;
const dnsPort = 53;

/** Looks at this machine, judges what it sees, and reports it. Tests may put ports in place of the real ones. */
export async function runDoctor(
  options: DoctorOptions,
  terminal: Terminal,
  overrides: Partial<DoctorPorts> = {},
): Promise<number> {
  const config = loadValidationConfig(terminal.environment);
  const seen = await lookAround(
    { ...createPorts(config), ...overrides },
    {
      probeDomains: readProbeDomains(options.probeDomain ?? probeDomainsDefault),
      heloName: config.VALIDATION_HELO_NAME,
      publicAddress: readPublicAddress(options.publicAddress, config),
      blockLists: options.blocklists ? blockLists : [],
    },
    terminal.signal,
  );
  if (terminal.signal.aborted) {
    return exitCodes.interrupted;
  }
  const findings = judge(seen, {
    smtpPort: config.VALIDATION_SMTP_PORT,
    withBlockLists: options.blocklists,
  });
  const { stdout, environment } = terminal;
  await write(
    stdout,
    options.json
      ? toJson(findings)
      : toText(findings, (text, colour) => paint(text, colour, stdout, environment)),
  );
  return countFailed(findings) > 0 ? exitCodes.bad : exitCodes.good;
}

function createPorts(config: ValidationConfig): DoctorPorts {
  const servers = config.VALIDATION_DNS_SERVERS ?? getServers().map(withPort);
  return {
    contact: composeContact(config),
    servers: servers.map(name => ({
      name,
      dns: composeContact({ ...config, VALIDATION_DNS_SERVERS: [name] }).dns,
    })),
    reverse: createReverseDns(config.VALIDATION_DNS_SERVERS),
  };
}

/** The system's list leaves out the usual port, and then the brackets of an IPv6 address too. */
function withPort(server: string): string {
  if (server.includes(':')) {
    return server.startsWith('[') ? server : `[${server}]:${dnsPort}`;
  }
  return `${server}:${dnsPort}`;
}

function readProbeDomains(texts: readonly string[]): LookAroundOptions['probeDomains'] {
  const names = texts.map(text => {
    const parsed = parseEmailAddress(`postmaster@${text}`);
    if (!parsed.ok || parsed.value.domain.kind !== 'name') {
      throw new UsageError(`--probe-domain names domains, and "${text}" is none.`);
    }
    return parsed.value.domain;
  });
  const [first, ...others] = names;
  if (first === undefined) {
    throw new UsageError('--probe-domain needs at least one domain.');
  }
  return [first, ...others];
}

/** Normalised, so that it can be compared with what DNS says. */
function readPublicAddress(text: string | undefined, config: ValidationConfig): string | undefined {
  if (text === undefined) {
    return undefined;
  }
  const guarded = createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES)(text);
  if (!guarded.allowed) {
    throw new UsageError(`--public-address is an address that the internet can see, and "${text}" is none.`);
  }
  return guarded.address;
}
