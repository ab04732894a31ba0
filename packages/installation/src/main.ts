import { resolve } from 'node:path';
import { Command, Option } from 'commander';
import { installDatabase } from './install-database.ts';
import { installRedis } from './install-redis.ts';
import { readInstallationSettings } from './installation-settings.ts';
import { handMadeUsers } from './redis-users.ts';
import { asEnvFile, asKubernetesSecrets, newInstallationSecrets } from './secret-texts.ts';

/** The checkout, or in an image the folder with the same layout. */
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
    `Create the Redis users and the Postgres schemas and roles of all services, and apply their migrations. You can repeat
this command.

Settings: MIGRATION_DATABASE_URL (administrator URL), and for each service the URL that it connects to, with the role and
password to create: GATEWAY_DATABASE_URL, CREDIT_LEDGER_DATABASE_URL and so on. MIGRATION_REDIS_URL (administrator URL),
GATEWAY_REDIS_URL and so on do the same for Redis; without MIGRATION_REDIS_URL, Redis users are not changed.`,
  )
  .action(async () => {
    const settings = readInstallationSettings(process.env);
    await installRedis(settings.redis, say);
    await installDatabase(settings, { root, report: say });
  });

program
  .command('redis-users')
  .description(
    'Print the commands that create the Redis users manually, if the administrator is not allowed to.',
  )
  .action(() => void process.stdout.write(handMadeUsers()));

program
  .command('secrets')
  .description('Print newly generated secrets for an installation. They are not stored.')
  .addOption(
    new Option('--format <format>', 'an env file, or Kubernetes Secrets')
      .choices(['env', 'kubernetes'])
      .default('env'),
  )
  .option('--postgres <host:port>', 'Postgres host', 'postgres:5432')
  .option('--database <name>', 'database name', 'mailproof')
  .option('--redis <host:port>', 'Redis host', 'redis:6379')
  .option('--prefix <name>', 'prefix of the Secret names', 'mailproof')
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
