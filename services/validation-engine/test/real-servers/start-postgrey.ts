import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { ServerRoot } from './server-root.ts';

export interface PostgreyPlan {
  readonly address: string;
  readonly port: number;
  /** How long unknown clients are deferred. */
  readonly delaySeconds: number;
}

/**
 * Starts postgrey. It is a Perl program that does not change its root folder, so this machine's Perl runs it with the
 * modules of the packages.
 */
export async function startPostgrey(root: ServerRoot, plan: PostgreyPlan): Promise<void> {
  root.makeFolder('var/lib/postgrey', { mode: 0o777 });
  const modules = moduleFolders(root.folder).flatMap(folder => ['-I', folder]);
  root.write('etc/postgrey/nobody', '');
  const nobody = join(root.folder, 'etc/postgrey/nobody');
  await root.start(
    'perl',
    [
      // The program requires this option, and Perl must get it before it reads the program.
      '-T',
      ...modules,
      join(root.folder, 'usr/sbin/postgrey'),
      `--inet=${plan.address}:${plan.port}`,
      `--delay=${plan.delaySeconds}`,
      '--auto-whitelist-clients=0',
      `--dbdir=${join(root.folder, 'var/lib/postgrey')}`,
      '--user=nobody',
      '--group=nogroup',
      `--whitelist-clients=${nobody}`,
      `--whitelist-recipients=${nobody}`,
    ],
    { ...plan, outside: true },
  );
}

function moduleFolders(folder: string): string[] {
  const perl = ['usr/share/perl5', 'usr/share/perl', 'usr/lib'].map(path => join(folder, path));
  return perl
    .flatMap(path => {
      try {
        return [
          path,
          ...readdirSync(path, { recursive: true, encoding: 'utf8' }).map(name => join(path, name)),
        ];
      } catch {
        return [];
      }
    })
    .filter(path => /\/perl5?(\/[\d.]+)?$|\/perl-base$/.test(path));
}
