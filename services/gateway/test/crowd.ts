import type { Answer, Customer, TestHouse } from './house.ts';

/** Many customers at once, who ask about a list of addresses and ask again where the service was away. */
export interface Crowd {
  /** Asks about every address once or, after a 503, until there is an answer; addresses go round the customers. */
  ask(addresses: readonly string[], onAnswer?: () => void): Promise<Asked[]>;
  /** What the customers can spend now, all together. */
  credits(): Promise<number>;
}

export interface Asked {
  readonly address: string;
  readonly answer: Answer;
  /** How often the service was away before it answered. */
  readonly refusals: number;
}

const customersCount = 10;
const creditsEach = 10_000;
/** Half of what the engine admits; of a short list a quarter, so that there is a middle. */
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
          asked.push(await askPatiently(customers[index % customers.length] as Customer, address));
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

/** A question that was not answered is free, so it is simply asked again. */
async function askPatiently(customer: Customer, address: string): Promise<Asked> {
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
