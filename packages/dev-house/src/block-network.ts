import dgram from 'node:dgram';
import dns from 'node:dns';
import net, { BlockList, isIPv6 } from 'node:net';
import { testRunVariable } from './test-run-facts.ts';

/*
 * Jest loads this before every test file. A test that tries to reach another machine fails. The patches cover the
 * functions that all of Node's clients use, including `fetch` and TLS, and apply to the whole worker.
 */

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown;

interface ConnectTarget {
  readonly path?: string;
  readonly host?: unknown;
  lookup?: net.LookupFunction;
}

const marker = Symbol.for('mailproof.networkIsBlocked');

if (!(marker in net.Socket.prototype)) {
  Object.defineProperty(net.Socket.prototype, marker, { value: true });
  guard(net.Socket.prototype, 'connect', (args, socket) => {
    try {
      guardConnect(args);
    } catch (error) {
      // Otherwise the worker would wait for the refused socket.
      (socket as net.Socket).destroy();
      throw error;
    }
  });
  guard(dgram.Socket.prototype, 'connect', args =>
    allow(typeof args[1] === 'string' ? args[1] : 'localhost'),
  );
  guard(dgram.Socket.prototype, 'send', args => allow(args.slice(1).find(isString) ?? 'localhost'));
  for (const lookups of [dns, dns.promises]) guard(lookups, 'lookup', ([name]) => allow(String(name)));
  for (const resolvers of [dns, dns.promises]) {
    guardQueries(resolvers);
    guardQueries(resolvers.Resolver.prototype);
  }
}

function guard(owner: object, method: string, check: (args: unknown[], self: unknown) => void): void {
  const methods = owner as Record<string, AnyFunction>;
  const original = methods[method] as AnyFunction;
  methods[method] = function guarded(...args) {
    check(args, this);
    return original.apply(this, args);
  };
}

/** Checks a query's servers, not its name: a lab's server on loopback may be queried for any name. */
function guardQueries(owner: object): void {
  const methods = Object.getOwnPropertyNames(owner).filter(name => /^(resolve|reverse)/.test(name));
  for (const method of methods) {
    guard(owner, method, (args, self) => {
      const resolver = (self as { getServers?: () => string[] } | undefined)?.getServers ? self : dns;
      for (const server of (resolver as typeof dns).getServers()) {
        allow(hostOf(server), `a DNS query for ${String(args[0])} to ${server}`);
      }
    });
  }
}

/** `connect` takes a path, a port and a host, options, or the array that Node internally builds from these. */
function guardConnect(args: unknown[]): void {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return;
  const target = (typeof first === 'object' && first !== null ? first : { host: args[1] }) as ConnectTarget;
  if (target.path) return;
  const host = isString(target.host) ? target.host : 'localhost';
  if (target.lookup && !net.isIP(host) && !isLocalName(host)) target.lookup = guardedLookup(target.lookup);
  else allow(host);
}

/** Checks the addresses that code with its own resolver finds. */
function guardedLookup(lookup: net.LookupFunction): net.LookupFunction {
  return (name, options, callback) =>
    lookup(name, options, (error, address, family) => {
      if (!error) for (const each of [address].flat()) allow(isString(each) ? each : each.address);
      callback(error, address, family);
    });
}

function allow(host: string, what = `a connection to ${host}`): void {
  if (net.isIP(host) ? isLoopbackAddress(host) : isLocalName(host)) return;
  if (givenHosts().includes(host)) return;
  throw new Error(`This test tried to leave the machine: ${what}. Only loopback may be reached in tests.`);
}

/** Returns the hosts of the database servers that the developer configured for the tests, which may be remote. */
function givenHosts(): string[] {
  const run = JSON.parse(process.env[testRunVariable] ?? '{}') as { adminUrl?: string; redisUrl?: string };
  return [run.adminUrl, run.redisUrl].flatMap(url => (url ? [new URL(url).hostname] : []));
}

function hostOf(server: string): string {
  if (net.isIP(server)) return server;
  return server.replace(/:\d+$/, '').replace(/^\[|\]$/g, '');
}

function isString(value: unknown): value is string {
  return typeof value === 'string';
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether the address stays on this machine. An IPv4-mapped IPv6 address counts as the IPv4 address. */
export function isLoopbackAddress(address: string): boolean {
  const withoutZone = address.split('%', 1)[0] ?? address;
  return loopback.check(withoutZone, isIPv6(withoutZone) ? 'ipv6' : 'ipv4');
}

/** Whether the name is `localhost` or a subdomain of it, all of which are loopback (RFC 6761, section 6.3). */
export function isLocalName(name: string): boolean {
  return /^(.+\.)?localhost\.?$/i.test(name);
}
