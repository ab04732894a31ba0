import { join } from 'node:path';
import { fetchPackages, label, packageFolder, packagesObstacle, whileFetching } from './debian-packages.ts';

/** The kinds of real mail servers that `pnpm test:mta` knows. */
export type MailServerKind = 'postfix' | 'postgrey' | 'exim' | 'opensmtpd';

/** The packages of one kind of server, for its tests. */
export interface MailServerPackages {
  /** Files to unpack into the folder that the server uses as its root directory. */
  readonly packages: readonly string[];
  /** The tested versions, for display. */
  readonly versions: readonly string[];
}

export type FetchedMailServers = Readonly<Partial<Record<MailServerKind, MailServerPackages>>>;

/** Tells the tests, which run in Jest's worker processes, where the packages are. */
export const mailServersVariable = 'MAILPROOF_MAIL_SERVERS';

/**
 * Returns the packages of a kind of server.
 *
 * @throws Error unless run by `pnpm test:mta`, which downloads the packages
 */
export function mailServerPackages(kind: MailServerKind): MailServerPackages {
  const fetched = JSON.parse(process.env[mailServersVariable] ?? '{}') as FetchedMailServers;
  const found = fetched[kind];
  if (!found) throw new Error(`The packages of ${kind} are missing; run the tests with pnpm test:mta.`);
  return found;
}

/** The Debian packages of each kind of server; apt resolves their dependencies. */
const wanted: Readonly<Record<MailServerKind, readonly string[]>> = {
  postfix: ['postfix'],
  postgrey: ['postfix', 'postgrey'],
  exim: ['exim4-daemon-light'],
  opensmtpd: ['opensmtpd'],
};

export const mailServerKinds = Object.keys(wanted) as MailServerKind[];

/** Returns why this machine cannot run mail servers; undefined if it can. */
export function obstacle(): string | undefined {
  const reason = packagesObstacle(['chroot', 'perl']);
  if (reason) return reason;
  // Any user can fetch and unpack packages, but servers change their user and root directory.
  return process.getuid?.() === 0
    ? undefined
    : 'they change their user and root folder, which only root may: run as root';
}

/**
 * Downloads the packages of a kind of server for its tests to unpack. They are not installed, because the packages of
 * Postfix, Exim and OpenSMTPD conflict, and the machine must not change.
 *
 * @throws Error when a package cannot be downloaded
 */
export async function fetchMailServer(
  kind: MailServerKind,
  report: (line: string) => void,
): Promise<MailServerPackages> {
  const names = wanted[kind];
  const source = { folder: packageFolder, report };
  const files = await whileFetching(source, () =>
    fetchPackages(names, join(packageFolder, 'mail-servers'), source),
  );
  return {
    packages: files.map(({ path }) => path),
    versions: files.filter(({ name }) => names.includes(name)).map(({ file }) => label(file)),
  };
}
