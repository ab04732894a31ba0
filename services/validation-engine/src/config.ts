import { hostname } from 'node:os';
import { readConfig, serviceSettings, wholeNumber } from '@mailproof/service-kit';
import { limits, parseEmailAddress } from '@mailproof/shared-types';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';

const smtpPortDefault = 25;
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
  .optional();

const mailFrom = z
  .string()
  .default('')
  .refine(isAsciiAddress, 'must be an ASCII email address, or empty for the null sender');

const settings = z
  .object({
    ...serviceSettings,
    VALIDATION_DNS_SERVERS: dnsServers.describe('Name servers to ask, or `system` for the machine’s own.'),
    VALIDATION_ALLOWED_PRIVATE_RANGES: privateRanges.describe(
      'Ranges that may be contacted besides public addresses.',
    ),
    VALIDATION_SMTP_PORT: wholeNumber(1, 65_535)
      .default(smtpPortDefault)
      .describe('Port of the mail hosts; another than 25 for labs only.'),
    VALIDATION_HELO_NAME: heloName.describe('The name that EHLO says.'),
    VALIDATION_MAIL_FROM: mailFrom.describe('The sender that MAIL says; empty for the null sender.'),
    VALIDATION_DEADLINE_MS: wholeNumber(1_000, 120_000)
      .default(limits.validationDeadlineMsDefault)
      .describe('The most time that one validation takes, whatever its caller allows.'),
    VALIDATION_IN_FLIGHT_MAX: wholeNumber(1, 10_000)
      .default(200)
      .describe('Validations under way at once; further ones are answered 503.'),
  })
  .refine(
    ({ VALIDATION_SMTP_PORT, VALIDATION_ALLOWED_PRIVATE_RANGES }) =>
      VALIDATION_SMTP_PORT === smtpPortDefault || VALIDATION_ALLOWED_PRIVATE_RANGES.length > 0,
    {
      path: ['VALIDATION_SMTP_PORT'],
      message:
        'must be 25 while VALIDATION_ALLOWED_PRIVATE_RANGES is empty, because mail hosts of the internet take mail at no other port',
    },
  )
  .transform(values => ({ ...values, VALIDATION_HELO_NAME: values.VALIDATION_HELO_NAME ?? ownName() }));

export type Config = z.output<typeof settings>;

export function loadConfig(environment: NodeJS.ProcessEnv): Config {
  return readConfig(settings, environment);
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
