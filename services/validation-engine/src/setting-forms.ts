import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { isAbsolute } from 'node:path';
import { limits, parseEmailAddress } from '@mailproof/shared-types';
import ipaddr from 'ipaddr.js';
import { z } from 'zod';
import { evidenceSources } from './domain/catch-all/sources.ts';
import { readWeights, type Weights } from './domain/catch-all/weights.ts';

/*
 * The forms that settings may have, each with the message for a wrong value. The settings themselves are in config.ts.
 */

const listOf = (text: string) => text.split(',').map(part => part.trim());

export const dnsServers = z
  .string()
  .default('system')
  .transform(text => (text === 'system' ? undefined : listOf(text)))
  .refine(
    servers => servers === undefined || servers.every(isAddressAndPort),
    'must be `system` or a comma-separated list of addresses, each with a port, such as 192.0.2.53:53 or [2001:db8::53]:53',
  );

const domainLabel = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i;

export const heloName = z
  .string()
  .refine(
    isFullyQualified,
    'must be a fully qualified domain name (RFC 5321 section 2.3.5), such as probe.example.com',
  )
  .optional()
  .transform(name => name ?? ownName());

export const mailFrom = z
  .string()
  .default('')
  .refine(isAsciiAddress, 'must be an ASCII email address, or empty for the null sender');

export const listsDir = z
  .string()
  .optional()
  .refine(path => path === undefined || isAbsolute(path), 'must be an absolute path');

export const share = z
  .string()
  .regex(/^0\.\d{1,6}$/, 'must be a number between 0 and 1, such as 0.74')
  .transform(Number)
  .refine(value => value > 0, 'must be greater than 0');

/** Reads the weights themselves, so that a missing or invalid file prevents startup. */
export const weightsFile = z
  .string()
  .optional()
  .transform(path => (path === undefined ? undefined : readWeightsFrom(path)))
  .refine(weights => weights !== null, 'must be a readable weights file, as written by `pnpm fit-weights`');

const sourceIds = evidenceSources.map(({ id }) => id);

export const chosenSources = z
  .string()
  .default('default')
  .transform(text => {
    if (text === 'default') {
      return evidenceSources.filter(({ enabledByDefault }) => enabledByDefault).map(({ id }) => id);
    }
    return text === 'none' ? [] : listOf(text);
  })
  .pipe(z.array(z.enum(sourceIds, `must be \`default\`, \`none\`, or some of ${sourceIds.join(', ')}`)));

/** A header is ASCII, and a parenthesis or a space would end the comment of which the URL is a part (RFC 9110 5.6.5). */
export const contactUrl = z
  .url({ protocol: /^https?$/ })
  .regex(/^[!'*-~]+$/, 'must contain only ASCII characters, without spaces and parentheses')
  .optional();

export const socksProxy = z
  .string()
  .optional()
  .transform(text => (text === undefined ? undefined : readSocksUrl(text)))
  .refine(proxy => proxy !== 'faulty', 'must be a URL such as socks5://user:password@proxy.example.com:1080');

export const localAddresses = z
  .string()
  .optional()
  .transform(text => (text === undefined ? undefined : listOf(text)))
  .refine(
    addresses => addresses === undefined || addresses.every(address => isIP(address) !== 0),
    'must be an IP address of this machine, or one IPv4 and one IPv6 address separated by a comma',
  )
  .refine(
    addresses => addresses === undefined || new Set(addresses.map(isIP)).size === addresses.length,
    'must not contain two addresses of one family',
  );

const socksPortDefault = 1_080;
/** RFC 1929 section 2 encodes the length in one octet. */
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

/** The file's text, or the empty string if it contains no certificate. */
function readWeightsFrom(path: string): Weights | null {
  try {
    return readWeights(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    return null;
  }
}

/**
 * The machine's name if it is fully qualified; without it, each session gives its own address (RFC 5321 section 4.1.4).
 */
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
  return parsed.ok && parsed.value.normalized === text && !parsed.value.localPart.international;
}

function isAddressAndPort(text: string): boolean {
  const [, ipv6, ipv4, port] = /^(?:\[([\da-f:.]+)\]|([\d.]+)):(\d{1,5})$/i.exec(text) ?? [];
  const address = ipv4 ?? ipv6 ?? '';
  const valid =
    ipv4 === undefined ? ipaddr.IPv6.isValid(address) : ipaddr.IPv4.isValidFourPartDecimal(address);
  return valid && Number(port) >= 1 && Number(port) <= 65_535;
}
