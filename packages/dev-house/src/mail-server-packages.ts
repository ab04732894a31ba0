/** The kinds of real mail servers that `pnpm test:mta` knows. */
export type MailServerKind = 'postfix' | 'postgrey' | 'exim' | 'opensmtpd';

/** A kind of server as its tests get it. */
export interface MailServerPackages {
  /** Files to unpack into the folder that the server takes for the root of the file system. */
  readonly packages: readonly string[];
  /** What is tested, for people. */
  readonly versions: readonly string[];
}

export type FetchedMailServers = Readonly<Partial<Record<MailServerKind, MailServerPackages>>>;

/** How the tests, which are processes of Jest, learn where the packages are. */
export const mailServersVariable = 'MAILPROOF_MAIL_SERVERS';

/**
 * The packages of a kind of server.
 *
 * @throws Error outside of `pnpm test:mta`, which fetches them
 */
export function mailServerPackages(kind: MailServerKind): MailServerPackages {
  const fetched = JSON.parse(process.env[mailServersVariable] ?? '{}') as FetchedMailServers;
  const found = fetched[kind];
  if (!found) throw new Error(`The packages of ${kind} are not here; run the tests by pnpm test:mta.`);
  return found;
}
