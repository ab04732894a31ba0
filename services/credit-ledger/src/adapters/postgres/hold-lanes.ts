import type { AccountId } from '@mailproof/shared-types';

/** Carries out requests together and answers them in their order. */
export type SendTogether<Request, Answer> = (requests: readonly Request[]) => Promise<readonly Answer[]>;

/** Statements under way at once; an account always takes the same lane, so our own statements do not wait for each other's. */
const lanesCount = 4;
/** Requests that go together at most: their accounts stay locked until the last of them is done. */
const togetherMax = 64;

interface Waiting<Request, Answer> {
  readonly request: Request;
  resolve(answer: Answer): void;
  reject(error: unknown): void;
}

/**
 * Lets requests that come while a statement is under way go with the next one, all in one commit. Nobody waits for
 * company: a request that finds its lane free is sent at once (ADR 0020).
 */
export function createHoldLanes<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const lanes = Array.from({ length: lanesCount }, () => createLane(send));
  return request => (lanes[laneOf(request.accountId)] as (typeof lanes)[number])(request);
}

function createLane<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
): (request: Request) => Promise<Answer> {
  const waiting: Waiting<Request, Answer>[] = [];
  let underWay = false;

  async function drain(): Promise<void> {
    underWay = true;
    while (waiting.length > 0) {
      await sendAll(send, waiting.splice(0, togetherMax));
    }
    underWay = false;
  }

  return request =>
    new Promise((resolve, reject) => {
      waiting.push({ request, resolve, reject });
      if (!underWay) {
        void drain();
      }
    });
}

async function sendAll<Request extends { readonly accountId: AccountId }, Answer>(
  send: SendTogether<Request, Answer>,
  together: readonly Waiting<Request, Answer>[],
): Promise<void> {
  // The order in which every statement locks its accounts.
  const inOrder = together.toSorted((one, other) =>
    one.request.accountId < other.request.accountId ? -1 : 1,
  );
  try {
    const answers = await send(inOrder.map(({ request }) => request));
    for (const [index, { resolve }] of inOrder.entries()) {
      resolve(answers[index] as Answer);
    }
  } catch (error) {
    if (inOrder.length === 1) {
      inOrder[0]?.reject(error);
      return;
    }
    // Nothing was done. What is wrong with one request must not become another customer's failure.
    await Promise.all(inOrder.map(each => sendAll(send, [each])));
  }
}

/** The last digits of an id are random. */
function laneOf(accountId: AccountId): number {
  return Number.parseInt(accountId.slice(-2), 16) % lanesCount;
}
