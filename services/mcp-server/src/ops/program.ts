import { exitCodeOf, OperatorError } from '@mailproof/service-kit';
import { Command } from 'commander';
import { composeOperator, type Operator } from '../compose/operator.ts';
import { loadOperatorConfig } from '../config.ts';
import { addSigningKeyCommands, print } from './signing-key-commands.ts';

/** Carries out one command and answers the exit code; what is wrong is said on standard error in a sentence. */
export function runCommand(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<number> {
  return exitCodeOf(() => createProgram(environment).parseAsync(args, { from: 'user' }));
}

function createProgram(environment: NodeJS.ProcessEnv): Command {
  const program = new Command('ops').description('Operate the authorization server of the tool server.');
  // Ahead of the commands, which take it over: whoever starts a command decides when the process ends.
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
      'Seal the secrets of the authorization server (keys, clients, refresh tokens) under the first of OAUTH_ENCRYPTION_KEYS; can be broken off and run again.',
    )
    .option('--json', 'answer in JSON')
    .action((options: { readonly json?: true }) =>
      withOperator(async operator => {
        const { resealed, failed } = await operator.reseal();
        const kid = operator.currentKid;
        print(options.json, { resealed, failed, kid }, `Sealed ${resealed} under ${kid}.`);
        if (failed > 0) {
          throw new OperatorError(
            `${failed} could not be opened by any key of the ring. Keep the earlier keys in the ring.`,
          );
        }
      }),
    );
  return program;
}
