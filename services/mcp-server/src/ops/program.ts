import { exitCodeOf, OperatorError } from '@mailproof/service-kit/operator-command';
import { Command } from 'commander';
import { composeOperator, type Operator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addSigningKeyCommands, print } from './signing-key-commands.ts';

/** Runs one command and returns its exit code; an error is printed on standard error as a sentence. */
export function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(() => createProgram(environment).parseAsync(args, { from: 'user' }));
}

function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the authorization server of the tool server.');
  // Called before the commands are added, which inherit it: the command decides when the process ends.
  program.exitOverride();
  const withOperator = async (work: (operator: Operator) => Promise<void>) => {
    const operator = composeOperator(loadOperatorConfig(environment));
    try {
      await work(operator);
    } finally {
      await operator.close();
    }
  };
  const signingKeys = addSigningKeyCommands(program, withOperator);
  signingKeys
    .command('reseal')
    .description(
      'Encrypt the secrets of the authorization server (keys, clients, refresh tokens) with the first key of OAUTH_ENCRYPTION_KEYS. You can interrupt and repeat this command.',
    )
    .option('--json', 'print JSON')
    .action((options: { readonly json?: true }) =>
      withOperator(async operator => {
        const { resealed, failed } = await operator.reseal();
        const kid = operator.currentKid;
        print(options.json, { resealed, failed, kid }, `Encrypted ${resealed} with ${kid}.`);
        if (failed > 0) {
          throw new OperatorError(
            `${failed} could not be decrypted with any key of the ring. Keep the earlier keys in the ring.`,
          );
        }
      }),
    );
  return program;
}
