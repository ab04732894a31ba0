import type { Answer, Customer, TestHouse } from './house.ts';

/** Many concurrent customers who validate a list of addresses, and retry when the service is unavailable. */
export interface Crowd {
  /**
   * Validates every address once or, after a 503, until there is an answer; distributes addresses round-robin among the
   * customers.
   */
  ask(addresses: readonly string[], onAnswer?: () => void): Promise<Asked[]>;
  /** The total credits that the customers can spend now. */
  credits(): Promise<number>;
}

export interface Asked {
  readonly address: string;
  readonly answer: Answer;
  /** How often the service was unavailable before it answered. */
  readonly refusals: number;
}

const customersCount = 10;
const creditsEach = 10_000;
/** Half of what the engine admits; at most a quarter of a short list, so that the list has a middle. */
const inFlightMax = 100;
const inFlightShareMax = 0.25;
const givesUpAfterMs = 120_000;
const asksAgainAfterMs = 200;

export async function openCrowd(test: TestHouse): Promise<Crowd> {
  const customers = await Promise.all(
    Array.from({ length: customersCount }, () =>
      test.open({ credits: creditsEach, requestsPerSecond: 1_000 }),
    ),
  );
  return {
    async ask(addresses, onAnswer) {
      const asked: Asked[] = [];
      const queue = addresses.entries();
      async function work(): Promise<void> {
        for (const [index, address] of queue) {
          asked.push(await askWithRetries(customers[index % customers.length] as Customer, address));
          onAnswer?.();
        }
      }
      const inFlight = Math.min(inFlightMax, Math.ceil(addresses.length * inFlightShareMax));
      await Promise.all(Array.from({ length: inFlight }, work));
      return asked;
    },
    async credits() {
      const each = await Promise.all(customers.map(customer => customer.credits()));
      return each.reduce((sum, credits) => sum + credits, 0);
    },
  };
}

/** An unanswered request is free, so it is simply retried. */
async function askWithRetries(customer: Customer, address: string): Promise<Asked> {
  const givesUpAtMs = performance.now() + givesUpAfterMs;
  for (let refusals = 0; ; refusals += 1) {
    const answer = await customer.post(
      '/validate-single-email?details=true',
      JSON.stringify({ email: address }),
    );
    if (answer.status !== 503 || performance.now() > givesUpAtMs) {
      return { address, answer, refusals };
    }
    await new Promise(resolve => setTimeout(resolve, asksAgainAfterMs));
  }
}
