import type { ProfileSource } from '../profile-enrichment/profile-source.ts';
import {
  type AskStep,
  type AwaitTurn,
  answerOf,
  askInOrder,
  failureOf,
  refusedPauseMs,
} from './own-provider-source.ts';
import {
  monthOf,
  ProviderFault,
  type ProviderSecrets,
  type ProviderSettings,
  type ProviderStep,
} from './profile-provider.ts';
import { secretsOfStep, stepsOf, takesProfile } from './provider-settings.ts';

/** The providers that the operator pays, for all accounts. */
export interface OperatorProviders {
  readonly settings: ProviderSettings;
  readonly secrets: ProviderSecrets;
}

interface OperatorProviderPorts {
  readonly ask: AskStep;
  readonly awaitTurn: AwaitTurn;
  /** Counts a query against a budget; false if the budget of the month is spent. */
  readonly spend: (name: string, month: string, requestsMax: number) => Promise<boolean>;
  readonly now: () => Date;
}

/** Uses the operator's providers as a source, after those of the account. */
export function createOperatorProviderSource(
  ports: OperatorProviderPorts,
  { settings, secrets }: OperatorProviders,
): ProfileSource {
  const steps = stepsOf(settings);
  const refusals = new Map<ProviderStep, { readonly fault: ProviderFault; readonly atMs: number }>();
  return {
    name: 'operator_provider',
    async find(question) {
      if (!steps.some(step => takesProfile(step, question.profile))) {
        return undefined;
      }
      const answeredAt = ports.now();
      const { profile, signal } = question;
      const { answer, faults } = await askInOrder(steps, question, async (step, position) => {
        const refusal = refusals.get(step);
        if (refusal && answeredAt.getTime() < refusal.atMs + refusedPauseMs) {
          throw refusal.fault;
        }
        await ports.awaitTurn(`operator-provider:${step.name}`, step.requests_per_second, signal);
        const budget = step.requests_per_month;
        if (budget !== null && !(await ports.spend(step.name, monthOf(answeredAt), budget))) {
          throw new ProviderFault('budget_spent');
        }
        return ports.ask({
          settings: step,
          secrets: secretsOfStep(secrets, step, position),
          profile,
          signal,
        });
      });
      for (const { step, fault } of faults) {
        if (fault.reason === 'refused' && fault !== refusals.get(step)?.fault) {
          refusals.set(step, { fault, atMs: answeredAt.getTime() });
        }
      }
      const [first] = faults;
      if (answer === undefined && first !== undefined) {
        throw failureOf(first, 'operator');
      }
      return answerOf(answer, { kind: 'provider', licence: 'as agreed with the provider', answeredAt });
    },
  };
}
