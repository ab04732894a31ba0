import dgram from 'node:dgram';
import dns from 'node:dns';
import net from 'node:net';
import { isLocalName, isLoopbackAddress } from './loopback.ts';
import { testRunVariable } from './test-run-facts.ts';

/*
 * Loaded by Jest before every test file: a test that would leave the machine fails loudly instead. The patches
 * sit on what all of Node's clients come through, `fetch` and TLS included, and hold for the whole worker.
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
      // A refused socket would otherwise keep the worker waiting for it.
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

/** A query goes to the resolver's servers, whatever the name; a lab's server on loopback may be asked anything. */
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

/** `connect` takes a path, a port and a host, options, or what Node makes of these for itself: an array. */
function guardConnect(args: unknown[]): void {
  const first = Array.isArray(args[0]) ? args[0][0] : args[0];
  if (typeof first === 'string' && !/^\d+$/.test(first)) return;
  const target = (typeof first === 'object' && first !== null ? first : { host: args[1] }) as ConnectTarget;
  if (target.path) return;
  const host = isString(target.host) ? target.host : 'localhost';
  if (target.lookup && !net.isIP(host) && !isLocalName(host)) target.lookup = guardedLookup(target.lookup);
  else allow(host);
}

/** Code that resolves names for itself is judged by the addresses that it comes up with. */
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

/** The database servers that the developer has given for the tests may be elsewhere. */
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
