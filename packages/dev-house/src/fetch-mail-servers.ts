import { join } from 'node:path';
import { fetchPackages, label, packageFolder, packagesObstacle, whileFetching } from './debian-packages.ts';
import type { MailServerKind, MailServerPackages } from './mail-server-packages.ts';

/** The Debian packages that make up each kind of server; what these depend on is found out. */
const wanted: Readonly<Record<MailServerKind, readonly string[]>> = {
  postfix: ['postfix'],
  postgrey: ['postfix', 'postgrey'],
  exim: ['exim4-daemon-light'],
  opensmtpd: ['opensmtpd'],
};

export const mailServerKinds = Object.keys(wanted) as MailServerKind[];

/** Why no kind of server can be had on this machine, or nothing. */
export function obstacle(): string | undefined {
  const reason = packagesObstacle(['chroot', 'perl']);
  if (reason) return reason;
  // Packages are fetched and unpacked by any user; servers change their user and root folder.
  return process.getuid?.() === 0
    ? undefined
    : 'they change their user and root folder, which only root may: run as root';
}

/**
 * Downloads the packages of a kind of server, which its tests unpack: Postfix, Exim and OpenSMTPD exclude each other as
 * packages, and nothing of the machine may change.
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
