import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { connect } from 'node:net';
import { type DecodedPacket, decode, encode, type Packet, streamDecode, streamEncode } from 'dns-packet';
import type { MailLab } from '../lab.ts';
import { TestSmtpClient } from './smtp-client.ts';

/** The resolver that a validator would use: Node's resolver, with the lab as its server. */
export function resolverFor(lab: MailLab, timeoutMs = 20_000): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 1 });
  resolver.setServers([lab.dnsServer]);
  return resolver;
}

export async function addressOf(lab: MailLab, host: string): Promise<string> {
  const [address] = await resolverFor(lab).resolve4(host);
  if (address === undefined) throw new Error(`${host} has no address`);
  return address;
}

export async function connectTo(lab: MailLab, host: string, deadlineMs?: number): Promise<TestSmtpClient> {
  return TestSmtpClient.connect(await addressOf(lab, host), lab.smtpPort, deadlineMs);
}

/** A client that has sent EHLO. */
export async function greetedBy(lab: MailLab, host: string): Promise<TestSmtpClient> {
  const client = await connectTo(lab, host);
  await client.reply();
  await client.ask('EHLO probe.example');
  return client;
}

/** Sends one query over UDP exactly as given, and returns the whole response. */
export async function askOverUdp(
  lab: MailLab,
  name: string,
  type: string,
  additionals: Packet['additionals'] = [],
): Promise<DecodedPacket & { rcode: string }> {
  const socket = createSocket('udp4');
  const { host, port } = serverOf(lab);
  socket.send(encode(question(name, type, additionals)), port, host);
  const [octets] = (await once(socket, 'message', { signal: AbortSignal.timeout(20_000) })) as [Buffer];
  socket.close();
  return decode(octets) as DecodedPacket & { rcode: string };
}

export async function askOverTcp(lab: MailLab, name: string, type: string): Promise<Packet> {
  const { host, port } = serverOf(lab);
  const socket = connect(port, host);
  socket.write(streamEncode(question(name, type, [])));
  let received = Buffer.alloc(0);
  for await (const octets of socket) {
    received = Buffer.concat([received, octets as Buffer]);
    if (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) break;
  }
  socket.destroy();
  return streamDecode(received);
}

export function serverOf(lab: MailLab): { host: string; port: number } {
  const [host = '', port = ''] = lab.dnsServer.split(':');
  return { host, port: Number(port) };
}

function question(name: string, type: string, additionals: Packet['additionals']): Packet {
  // dns-packet supports unnamed types as UNKNOWN_<number>, which its published types leave out.
  const questions = [{ name, type }] as NonNullable<Packet['questions']>;
  return { type: 'query', id: 4_711, questions, additionals };
}
