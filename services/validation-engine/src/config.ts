import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { limits, parseEmailAddress } from '@mailproof/shared-types';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { evidenceSources } from './domain/catch-all/sources.ts';
import { readWeights, type Weights } from './domain/catch-all/weights.ts';

const smtpPortDefault = 25;
const httpsPortDefault = 443;
/** Shorter prefixes would cover more than any private network does, and with it the whole internet at worst. */
const prefixLengthMin = { ipv4: 8, ipv6: 7 } as const;

const listOf = (text: string) => text.split(',').map(part => part.trim());

const dnsServers = z
  .string()
  .default('system')
  .transform(text => (text === 'system' ? undefined : listOf(text)))
  .refine(
    servers => servers === undefined || servers.every(isAddressAndPort),
    'must be `system` or a comma-separated list of addresses, each with a port, such as 192.0.2.53:53 or [2001:db8::53]:53',
  );

const privateRanges = z
  .string()
  .optional()
  .transform(text => (text === undefined ? [] : listOf(text)))
  .refine(
    ranges => ranges.every(range => ipaddr.isValidCIDR(range)),
    'must be a comma-separated list of CIDR ranges',
  )
  .refine(
    ranges => ranges.filter(range => ipaddr.isValidCIDR(range)).every(isNarrow),
    'must not name a range wider than /8 for IPv4 or /7 for IPv6, since everything in it may be contacted',
  );

const domainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

const heloName = z
  .string()
  .refine(
    isFullyQualified,
    'must be a fully qualified domain name (RFC 5321 section 2.3.5), such as probe.example.com',
  )
  .optional()
  .transform(name => name ?? ownName());

const mailFrom = z
  .string()
  .default('')
  .refine(isAsciiAddress, 'must be an ASCII email address, or empty for the null sender');

/** The certificates themselves: whoever composes needs no file system, and a missing file stops the start. */
const caFile = z
  .string()
  .optional()
  .transform(path => (path === undefined ? undefined : readCertificates(path)))
  .refine(pem => pem !== '', 'must be a readable file with a certificate in PEM form');

const listsDir = z
  .string()
  .optional()
  .refine(path => path === undefined || isAbsolute(path), 'must be an absolute path');

const share = z
  .string()
  .regex(/^0\.\d{1,6}$/, 'must be a number between 0 and 1, such as 0.74')
  .transform(Number)
  .refine(value => value > 0, 'must be greater than 0');

/** The weights themselves, so that a file that is missing or wrong stops the start. */
const weightsFile = z
  .string()
  .optional()
  .transform(path => (path === undefined ? undefined : readWeightsFrom(path)))
  .refine(weights => weights !== null, 'must be a readable file of weights, as `pnpm fit-weights` writes it');

const sourceIds = evidenceSources.map(({ id }) => id);

const chosenSources = z
  .string()
  .default('default')
  .transform(text => {
    if (text === 'default') {
      return evidenceSources.filter(({ enabledByDefault }) => enabledByDefault).map(({ id }) => id);
    }
    return text === 'none' ? [] : listOf(text);
  })
  .pipe(z.array(z.enum(sourceIds, `must be \`default\`, \`none\`, or some of ${sourceIds.join(', ')}`)));

const socksProxy = z
  .string()
  .optional()
  .transform(text => (text === undefined ? undefined : readSocksUrl(text)))
  .refine(
    proxy => proxy !== 'faulty',
    'must be an address such as socks5://user:password@proxy.example.com:1080',
  );

const localAddresses = z
  .string()
  .optional()
  .transform(text => (text === undefined ? undefined : listOf(text)))
  .refine(
    addresses => addresses === undefined || addresses.every(address => isIP(address) !== 0),
    'must be an address of this machine, or one of each family with a comma between',
  )
  .refine(
    addresses => addresses === undefined || new Set(addresses.map(isIP)).size === addresses.length,
    'must not name two addresses of one family',
  );

/** What a validation needs, whether the service or the command line runs it. */
const validationSettings = {
  VALIDATION_DNS_SERVERS: dnsServers.describe('Name servers to ask, or `system` for the machine’s own.'),
  VALIDATION_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
    'Ranges that may be contacted besides public addresses.',
  ),
  VALIDATION_SMTP_PORT: wholeNumber(1, 65_535)
    .default(smtpPortDefault)
    .describe('Port of the mail hosts; another than 25 for labs only.'),
  VALIDATION_HELO_NAME: heloName.describe('The name that EHLO says.'),
  VALIDATION_MAIL_FROM: mailFrom.describe('The sender that MAIL says; empty for the null sender.'),
  VALIDATION_HTTPS_PORT: wholeNumber(1, 65_535)
    .default(httpsPortDefault)
    .describe('Port of the web servers that publish evidence; another than 443 for labs only.'),
  VALIDATION_CA_FILE: caFile.describe('Authorities to trust besides the usual ones, for web evidence.'),
  VALIDATION_EVIDENCE_SOURCES: chosenSources.describe('What is asked about addresses at catch-all domains.'),
  VALIDATION_WEIGHTS_FILE: weightsFile.describe('Fitted weights in place of the built-in ones.'),
  VALIDATION_CATCH_ALL_PRIOR: share
    .optional()
    .describe('The share of addresses at catch-all domains that exist, ahead of all evidence.'),
  VALIDATION_LISTS_DIR: listsDir.describe(
    'Folder of refreshed lists, which take the place of the packaged ones.',
  ),
  VALIDATION_SESSIONS_PER_HOST_MAX: wholeNumber(1, 100)
    .default(5)
    .describe('Sessions that one mail host sees from us at once, over all replicas.'),
  VALIDATION_SESSIONS_MAX: wholeNumber(1, 10_000)
    .default(500)
    .describe('Sessions with mail hosts that one process has open at once.'),
  VALIDATION_SESSION_STARTS_PER_HOST_PER_MINUTE_MAX: wholeNumber(1, 6_000)
    .default(120)
    .describe('Sessions that may begin at one mail host in any minute, over all replicas.'),
  VALIDATION_SOCKS5_URL: socksProxy.describe('A SOCKS5 proxy through which mail hosts are contacted.'),
  VALIDATION_LOCAL_ADDRESS: localAddresses.describe('Addresses of this machine to contact mail hosts from.'),
  VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
    .default(limits.validationDeadlineMsDefault)
    .describe('The most time that one validation takes, whatever its caller allows.'),
} as const;

const databaseSettings = {
  DATABASE_URL: z.url({ protocol: /^postgres(ql)?$/ }).describe('Postgres, as the engine’s own role.'),
};

const settings = withSafePort(
  z.object({
    ...serviceSettings,
    ...validationSettings,
    ...databaseSettings,
    DATABASE_CONNECTIONS_MAX: wholeNumber(1, 200).default(5),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/ })
      .describe('Redis, for remembered verdicts, host places and queues.'),
    ADDRESS_HASH_KEY: z
      .string()
      .min(32, 'must be at least 32 characters long')
      .transform(text => new TextEncoder().encode(text))
      .describe('Keys the hashes under which addresses are remembered.'),
    VALIDATION_MEMORY_DECIDED_SECONDS: wholeNumber(0, 604_800)
      .default(86_400)
      .describe('How long a verdict is remembered; 0 remembers none.'),
    VALIDATION_MEMORY_UNKNOWN_SECONDS: wholeNumber(0, 60)
      .default(10)
      .describe('How long an `unknown` is remembered.'),
    VALIDATION_MEMORY_DOMAIN_SECONDS: wholeNumber(0, 604_800)
      .default(21_600)
      .describe(
        'How long it is remembered what a host says to made-up recipients of a domain; 0 remembers it not.',
      ),
    VALIDATION_STANDING_CHECK_HOURS: wholeNumber(0, 168)
      .optional()
      .describe('Time between two looks at our standing with the world; 0 for never.'),
    VALIDATION_HARVEST_ADDRESSES_MAX: wholeNumber(0, 1_000_000)
      .default(200)
      .describe('Addresses of one domain that an account may ask about in a day, most of them missing.'),
    VALIDATION_HARVEST_FREEMAIL_ADDRESSES_MAX: wholeNumber(0, 10_000_000)
      .default(5_000)
      .describe('The same at domains whose mailboxes belong to anybody.'),
    VALIDATION_HARVEST_MISSING_SHARE_MAX: share
      .default(0.5)
      .describe('The share of missing addresses above which those limits hold.'),
    VALIDATION_OUTCOME_RETENTION_DAYS: wholeNumber(1, 3_650)
      .default(730)
      .describe('How long reported outcomes and what was found out about their addresses are kept.'),
    VALIDATION_IN_FLIGHT_MAX: wholeNumber(1, 10_000)
      .default(200)
      .describe('Validations under way at once; further ones are answered 503.'),
  }),
);

const validationAlone = withSafePort(z.object(validationSettings));

export type Config = z.output<typeof settings>;

interface PortAndRanges {
  readonly VALIDATION_SOCKS5_URL: unknown;
  readonly VALIDATION_LOCAL_ADDRESS: unknown;
  readonly VALIDATION_HELO_NAME: string | undefined;
  readonly VALIDATION_SMTP_PORT: number;
  readonly VALIDATION_HTTPS_PORT: number;
  readonly VALIDATION_ALLOWED_PRIVATE_RANGES: readonly string[];
}

export type ValidationConfig = z.output<typeof validationAlone>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
}

/** What the operator's commands and fitting weights need: the database alone. */
export function loadOperatorConfig(environment: NodeJS.ProcessEnv): { DATABASE_URL: string } {
  return readConfig(z.object(databaseSettings), environment);
}

/** Reads the settings of validations alone: the command line is no service and has no keys. */
export function loadValidationConfig(environment: NodeJS.ProcessEnv): ValidationConfig {
  return readConfig(validationAlone, environment);
}

function withSafePort<Values extends PortAndRanges>(schema: z.ZodType<Values>): z.ZodType<Values> {
  return schema
    .refine(
      ({ VALIDATION_SOCKS5_URL, VALIDATION_LOCAL_ADDRESS }) =>
        VALIDATION_SOCKS5_URL === undefined || VALIDATION_LOCAL_ADDRESS === undefined,
      {
        path: ['VALIDATION_LOCAL_ADDRESS'],
        message: 'must not be set beside VALIDATION_SOCKS5_URL, because hosts see the address of the proxy',
      },
    )
    .refine(
      ({ VALIDATION_SOCKS5_URL, VALIDATION_HELO_NAME }) =>
        VALIDATION_SOCKS5_URL === undefined || VALIDATION_HELO_NAME !== undefined,
      {
        path: ['VALIDATION_HELO_NAME'],
        message: 'must be set beside VALIDATION_SOCKS5_URL, because sessions do not know the proxy’s address',
      },
    )
    .refine(
      ({ VALIDATION_SMTP_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_SMTP_PORT === smtpPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_SMTP_PORT'],
        message:
          'must be 25 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because mail hosts of the internet take mail at no other port',
      },
    )
    .refine(
      ({ VALIDATION_HTTPS_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
        VALIDATION_HTTPS_PORT === httpsPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
      {
        path: ['VALIDATION_HTTPS_PORT'],
        message:
          'must be 443 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because directories of the internet are at no other port',
      },
    );
}

const socksPortDefault = 1_080;
/** RFC 1929 section 2 counts them in one octet. */
const socksCredentialOctetsMax = 255;

function readSocksUrl(text: string): SocksProxySetting | 'faulty' {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (
    url?.protocol !== 'socks5:' ||
    url.hostname === '' ||
    !/^\/?$/.test(url.pathname) ||
    url.search ||
    url.hash
  ) {
    return 'faulty';
  }
  try {
    const [user, password] = [url.username, url.password].map(decodeURIComponent);
    const fits = [user, password].every(part => Buffer.byteLength(part ?? '') <= socksCredentialOctetsMax);
    return fits && !user === !password
      ? {
          host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
          port: url.port === '' ? socksPortDefault : Number(url.port),
          ...(user && password && { user, password }),
        }
      : 'faulty';
  } catch {
    return 'faulty';
  }
}

interface SocksProxySetting {
  readonly host: string;
  readonly port: number;
  readonly user?: string;
  readonly password?: string;
}

/** The file's text, or nothing at all where it holds no certificate. */
function readCertificates(path: string): string {
  try {
    const pem = readFileSync(path, 'utf8');
    new X509Certificate(pem);
    return pem;
  } catch {
    return '';
  }
}

function readWeightsFrom(path: string): Weights | null {
  try {
    return readWeights(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/** The machine's name where it is a full one; without it each session says its own address (RFC 5321 section 4.1.4). */
function ownName(): string | undefined {
  const name = hostname();
  return isFullyQualified(name) ? name : undefined;
}

function isFullyQualified(name: string): boolean {
  const labels = name.split('.');
  return (
    labels.length >= 2 &&
    name.length <= limits.domainOctetsMax &&
    labels.every(label => domainLabel.test(label)) &&
    !/^\d+$/.test(labels.at(-1) ?? '') &&
    !/\.(?:local|localdomain|internal|lan|home)$/i.test(name)
  );
}

function isAsciiAddress(text: string): boolean {
  if (text === '') {
    return true;
  }
  const parsed = parseEmailAddress(text);
  return parsed.ok && parsed.value.normalised === text && !parsed.value.localPart.international;
}

function isAddressAndPort(text: string): boolean {
  const [, ipv6, ipv4, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? '';
  const valid =
    ipv4 === undefined ? ipaddr.IPv6.isValid(address) : ipaddr.IPv4.isValidFourPartDecimal(address);
  return valid && Number(port) >= 1 && Number(port) <= 65_535;
}

function isNarrow(range: string): boolean {
  const [network, prefixLength] = ipaddr.parseCIDR(range);
  return prefixLength >= prefixLengthMin[network.kind()];
}
