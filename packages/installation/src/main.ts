import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { installDatabase } from './install-database.ts';
import { installRedis } from './install-redis.ts';
import { readInstallationSettings } from './installation-settings.ts';
import { handMadeUsers } from './redis-users.ts';
import { asEnvFile, asKubernetesSecrets, newInstallationSecrets } from './secret-texts.ts';

/** The checkout, or in an image the folder that is laid out like one. */
const root = resolve(import.meta.dirname, '../../..');

interface SecretsOptions {
  readonly format: 'env' | 'kubernetes';
  readonly postgres: string;
  readonly database: string;
  readonly redis: string;
  readonly prefix: string;
}

const program = new Command('migrate')
  .description(
    `Makes the users of Redis and the schemas and roles of Postgres for all services, and applies their migrations; again
is as good as once.

Settings: MIGRATION_DATABASE_URL (of an administrator) and for each service the address that it connects to, with the
role and the password that the role gets: GATEWAY_DATABASE_URL, CREDIT_LEDGER_DATABASE_URL and so on. MIGRATION_REDIS_URL
(of an administrator) and GATEWAY_REDIS_URL and so on do the same for Redis; without MIGRATION_REDIS_URL its users are
left alone.`,
  )
  .action(async () => {
    const settings = readInstallationSettings(process.env);
    await installRedis(settings.redis, say);
    await installDatabase(settings, { root, report: say });
  });

program
  .command('redis-users')
  .description(
    'Prints the commands that make the users of Redis by hand, for a Redis whose administrator may not.',
  )
  .action(() => void process.stdout.write(handMadeUsers()));

program
  .command('secrets')
  .description('Prints freshly made secrets for a new installation. They are kept nowhere else.')
  .addOption(
    new Option('--format <format>', 'an env file, or Secrets for Kubernetes')
      .choices(['env', 'kubernetes'])
      .default('env'),
  )
  .option('--postgres <host:port>', 'where Postgres is', 'postgres:5432')
  .option('--database <name>', 'the name of the database', 'mailproof')
  .option('--redis <host:port>', 'where Redis is', 'redis:6379')
  .option('--prefix <name>', 'what the names of the Secrets begin with', 'mailproof')
  .action(async (options: SecretsOptions) => {
    const secrets = await newInstallationSecrets(options);
    process.stdout.write(
      options.format === 'env' ? asEnvFile(secrets) : asKubernetesSecrets(secrets, options.prefix),
    );
  });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

function say(sentence: string): void {
  process.stdout.write(`${sentence}\n`);
}
