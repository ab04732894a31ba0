import { createAddressGuard } from '@mailproof/service-kit';
import { createDns } from '../adapters/dns/create-dns.ts';
import { createReverseDns } from '../adapters/dns/reverse-dns.ts';
import { systemServers } from '../adapters/dns/system-servers.ts';
import { createListFolder, readFileUpTo } from '../adapters/list-folder.ts';
import { createTcpConnector } from '../adapters/smtp/tcp-connector.ts';
import { createHttpsClient, type HttpsClientOptions } from '../adapters/web/https-client.ts';
import type { ValidationConfig } from '../config.ts';
import type { WebClient } from '../domain/catch-all/web-client.ts';
import type { ListPorts } from '../domain/lists/list-ports.ts';
import type { SmtpConnector } from '../domain/smtp/connection.ts';
import type { ExaminationPorts } from '../domain/standing/examination/look-around.ts';
import type { ValidationPorts } from '../domain/validate-address.ts';

/** Time for waits; monotonic. */
export const clock = { nowMs: () => performance.now() };

/** How the outside world is reached. */
export type WaysOutside = Pick<ValidationPorts, 'dns' | 'evidenceDns' | 'guard' | 'clock'> & {
  readonly connector: SmtpConnector;
};

/** Builds the ways to the outside world, which `doctor` tries out without validating anything. */
export function composeContact(config: ValidationConfig): WaysOutside {
  const dns = createDns(config.VALIDATION_DNS_SERVERS, clock);
  return {
    dns,
    evidenceDns: dns,
    connector: createTcpConnector(config.VALIDATION_SMTP_PORT, {
      proxy: config.VALIDATION_SOCKS5_URL,
      localAddresses: config.VALIDATION_LOCAL_ADDRESS,
    }),
    guard: createAddressGuard(config.VALIDATION_ALLOWED_PRIVATE_RANGES),
    clock,
  };
}

/** Builds the way to web servers, which are asked through the same DNS and guard as everything else. */
export function composeWeb(
  config: ValidationConfig,
  { dns, guard }: Pick<WaysOutside, 'dns' | 'guard'>,
  bounds: Partial<Pick<HttpsClientOptions, 'requestTimeoutMs' | 'bodyOctetsMax'>> = {},
): WebClient {
  return createHttpsClient({
    dns,
    guard,
    clock,
    port: config.VALIDATION_HTTPS_PORT,
    extraCa: config.VALIDATION_CA_FILE,
    userAgent: userAgentOf(config),
    ...bounds,
  });
}

/** Tells web servers what we are and, by the name that mail hosts know us by, where to complain. */
function userAgentOf({ VALIDATION_HELO_NAME: name }: ValidationConfig): string {
  return name === undefined ? 'Mailproof (address validation)' : `Mailproof (address validation; ${name})`;
}

/** Builds what looks at our standing: the ways to the outside, and each name server by itself. */
export function composeExamination(config: ValidationConfig): ExaminationPorts {
  const servers = config.VALIDATION_DNS_SERVERS ?? systemServers();
  return {
    contact: composeContact(config),
    servers: servers.map(name => ({ name, dns: createDns([name], clock) })),
    reverse: createReverseDns(config.VALIDATION_DNS_SERVERS),
  };
}

/** Builds what `refresh-lists` needs. It fetches what is far longer than anything that is evidence. */
export function composeLists(
  config: ValidationConfig,
  dir: string,
  bounds: Pick<HttpsClientOptions, 'requestTimeoutMs' | 'bodyOctetsMax'>,
): ListPorts {
  const web = composeWeb(config, composeContact(config), bounds);
  return { folder: createListFolder(dir), web, clock, readFileUpTo };
}
