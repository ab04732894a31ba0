import { createHash } from 'node:crypto';
import { isLocalName, isLoopbackAddress } from '../block-network.ts';
import type { ImageReference } from './image-references.ts';

/*
 * Asks a registry what a tag points to, by the distribution specification of the Open Container Initiative
 * (https://github.com/opencontainers/distribution-spec, "Pulling manifests") and the token authentication that Docker Hub
 * and others use (RFC 6750 challenges with `realm`, `service` and `scope`).
 */

/** Thrown if the registry does not have the image or tag, or its answer is invalid. A retry does not help. */
export class ImageFault extends Error {
  override readonly name = 'ImageFault';
}

/**
 * Thrown if the request failed: the registry is unreachable or busy, or requires a password. This says nothing about
 * the image.
 */
export class NotAsked extends Error {
  override readonly name = 'NotAsked';
}

export interface RegistryOptions {
  /** The registry to ask instead of each reference's own: a mirror, or the registry of a test. */
  readonly registry?: string;
  readonly timeoutMs: number;
}

/** Media types of multi-platform image indexes and of single-platform images. */
const manifestTypes = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
] as const;

/**
 * The distribution specification requires registries to accept manifests of at least this size; few accept larger ones.
 */
const manifestBytesMax = 4 * 1024 * 1024;
const tokenBytesMax = 64 * 1024;

/**
 * Returns the digest that a tag currently points to.
 *
 * @throws ImageFault if the registry does not have the tag
 * @throws NotAsked if the request fails
 */
export async function digestOf(image: ImageReference, options: RegistryOptions): Promise<string> {
  const url = manifestUrl(image, options.registry);
  const head = await ask(url, 'HEAD', options);
  const told = head.headers.get('docker-content-digest');
  // The header is optional. If it is missing, hash the manifest itself.
  const digest = told ?? `sha256:${await hashOfBody(await ask(url, 'GET', options), url)}`;
  if (!/^sha256:[0-9a-f]{64}$/.test(digest))
    throw new ImageFault(`${url.host} returns a digest for ${image.text} that is not SHA-256.`);
  return digest;
}

/**
 * Parses the base URL of a registry.
 *
 * @throws Error if the URL does not use https, except on this machine
 */
export function registryBase(address: string): URL {
  const url = URL.parse(address);
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw new Error(`--registry must be a URL like https://mirror.example, not ${address}.`);
  if (url.protocol === 'http:' && !isThisMachine(url))
    throw new Error(`--registry must use https, unless it is on this machine: ${address}.`);
  return url;
}

function isThisMachine({ hostname }: URL): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isLocalName(bare) || isLoopbackAddress(bare);
}

function manifestUrl({ registry, repository, tag = 'latest' }: ImageReference, base?: string): URL {
  const isHub = registry === 'docker.io';
  // Docker Hub's host differs from the name in its image references, and its official images are in `library`.
  const host = isHub ? 'registry-1.docker.io' : registry;
  const path = isHub && !repository.includes('/') ? `library/${repository}` : repository;
  return new URL(`/v2/${path}/manifests/${tag}`, base ? registryBase(base) : `https://${host}`);
}

async function ask(url: URL, method: 'HEAD' | 'GET', options: RegistryOptions): Promise<Response> {
  const accept = manifestTypes.join(', ');
  let response = await request(url, { method, headers: { accept } }, options);
  if (response.status === 401) {
    const authorization = `Bearer ${await tokenFor(url, response, options)}`;
    response = await request(url, { method, headers: { accept, authorization } }, options);
  }
  if (response.status === 404) throw new ImageFault(`${url.host} has no ${nameIn(url)}.`);
  if (!response.ok) throw new NotAsked(`${url.host} responds with ${response.status} for ${nameIn(url)}.`);
  const type = response.headers.get('content-type')?.split(';', 1)[0]?.trim() ?? '';
  if (!manifestTypes.some(each => each === type))
    throw new ImageFault(
      `${url.host} responds with ${type || 'no type'} for ${nameIn(url)}, which is not a manifest.`,
    );
  return response;
}

async function tokenFor(url: URL, { headers }: Response, options: RegistryOptions): Promise<string> {
  const challenge = challengeIn(headers.get('www-authenticate') ?? '');
  const realm = URL.parse(challenge['realm'] ?? '');
  if (!realm) throw new NotAsked(`${url.host} requires a password for ${nameIn(url)}.`);
  if (realm.protocol !== 'https:' && !(isThisMachine(url) && isThisMachine(realm)))
    throw new NotAsked(`${url.host} redirects clients to ${realm.origin} for a token, which is not https.`);
  for (const name of ['service', 'scope'])
    if (challenge[name] !== undefined) realm.searchParams.set(name, challenge[name]);
  const response = await request(realm, { method: 'GET' }, options);
  if (!response.ok) throw new NotAsked(`${realm.host} responds with ${response.status} instead of a token.`);
  const body = await boundedBody(response, tokenBytesMax, realm);
  const token = tokenIn(body.toString('utf8'));
  if (token === undefined) throw new NotAsked(`${realm.host} responds without a token.`);
  return token;
}

/** Returns the parameters of a Bearer challenge (RFC 9110, section 11.2); empty for another scheme. */
function challengeIn(header: string): Record<string, string> {
  if (!/^bearer /i.test(header)) return {};
  return Object.fromEntries(
    [...header.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name.toLowerCase(), value]),
  );
}

function tokenIn(text: string): string | undefined {
  try {
    const { token, access_token: accessToken } = JSON.parse(text) as Record<string, unknown>;
    return [token, accessToken].find(each => typeof each === 'string' && each !== '') as string | undefined;
  } catch {
    return undefined;
  }
}

async function request(url: URL, init: RequestInit, { timeoutMs }: RegistryOptions): Promise<Response> {
  try {
    return await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  } catch (cause) {
    const { name, cause: inner } = cause as Error;
    const why =
      name === 'TimeoutError'
        ? `did not respond within ${timeoutMs / 1_000} s`
        : `cannot be reached (${reasonOf(inner ?? cause)})`;
    throw new NotAsked(`${url.host} ${why}.`, { cause });
  }
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

async function hashOfBody(response: Response, url: URL): Promise<string> {
  const body = await boundedBody(response, manifestBytesMax, url);
  return createHash('sha256').update(body).digest('hex');
}

async function boundedBody(response: Response, bytesMax: number, url: URL): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length;
      if (bytes > bytesMax) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new NotAsked(`${url.host} interrupted its response (${reasonOf(cause)}).`, { cause });
  }
  if (bytes > bytesMax) throw new ImageFault(`${url.host} responds with more than ${bytesMax} bytes.`);
  return Buffer.concat(chunks);
}

/** Returns `library/redis:8.6.3-bookworm` from the URL of its manifest. */
function nameIn({ pathname }: URL): string {
  return pathname.replace(/^\/v2\//, '').replace('/manifests/', ':');
}
