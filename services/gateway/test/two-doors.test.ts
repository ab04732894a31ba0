import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type House, startTestHouse } from '@mailproof/dev-house';
import { createTokenSigner, type PrivateServiceKey } from '@mailproof/service-kit';
import type { Operation, ServiceName } from '@mailproof/shared-types';
import * as contracts from '@mailproof/shared-types';

/** A request to a service in its contract's form, with a parameter that no service knows. */
interface Question {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly caller?: ServiceName | undefined;
}

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'access' in value && 'path' in value;

const questionOf = ({ id, method, path, access }: Operation): Question => ({
  id,
  method: method.toUpperCase(),
  path: path.replace(/:\w+/g, 'x'),
  caller: access.kind === 'service' ? access.callers[0] : undefined,
});

/**
 * Every operation that shared-types declares, with the twins of those that the gateway forwards, those that an API
 * key opens too, and those for assistants.
 */
const declared = Object.values(contracts as Record<string, unknown>).filter(isOperation);
const twins = contracts.appOperations
  .filter(({ access, path }) => access.kind === 'session' && path.startsWith('/app/v1/'))
  .map(operation => contracts.forwarded(operation));
const withKeys = contracts.appOperations.filter(contracts.opensByKey).map(contracts.withKey);
const [internal, outward] = [true, false].map(isInternal =>
  [...declared, ...twins, ...withKeys, ...contracts.assistantOperations]
    .filter(({ path }) => path.startsWith('/internal/v1/') === isInternal)
    .map(questionOf),
) as [Question[], Question[]];

/** The peer operations of each service with a public side, and some of its pages beyond its operations. */
const doors = {
  gateway: {
    toPeers: [...contracts.peerOperations('gateway'), ...contracts.assistantOperations].map(questionOf),
    pages: ['/', '/app', '/docs', '/openapi.json', '/docs/errors/route_not_found'],
  },
  'mcp-server': {
    toPeers: contracts.peerOperations('mcp-server').map(questionOf),
    pages: ['/mcp', '/health', '/.well-known/oauth-authorization-server'],
  },
} as const;
const names = ['gateway', 'mcp-server'] as const;

let house: House;

beforeAll(async () => {
  house = await startTestHouse({
    inOneProcess: false,
    lab: false,
    only: ['gateway', 'credit-ledger', 'mcp-server'],
  });
});
afterAll(() => house?.stop());

/** Sends the request with the strongest credentials: the token of a peer that the contract names. */
async function ask(name: (typeof names)[number], door: 'internalUrl' | 'url', question: Question) {
  const key = house.environments[question.caller ?? 'gateway']['SERVICE_SIGNING_KEY'] ?? '';
  const sign = await createTokenSigner(JSON.parse(key) as PrivateServiceKey);
  const response = await fetch(`${house.services[name]?.[door]}${question.path}`, {
    method: question.method,
    redirect: 'manual',
    headers: { authorization: `Bearer ${await sign(name)}` },
  });
  const body = await response.text();
  const code = /"code":"(\w+)"/.exec(body)?.[1];
  return `${question.id}: ${response.status}${code ? ` ${code}` : ''}`;
}

const page = (path: string): Question => ({ id: path, method: 'GET', path });
const notFound = ({ id }: Question) => `${id}: 404 route_not_found`;
const askAll = (name: (typeof names)[number], door: 'internalUrl' | 'url', questions: readonly Question[]) =>
  Promise.all(questions.map(question => ask(name, door, question)));

it('the contract has operations of both kinds, each under the path of its kind', () => {
  expect(internal.length).toBeGreaterThan(names.length);
  expect(outward.length).toBeGreaterThan(names.length);
  expect(outward.filter(({ caller }) => caller !== undefined)).toEqual([]);
  expect(internal.filter(({ caller }) => caller === undefined)).toEqual([]);
  for (const { toPeers } of Object.values(doors)) {
    expect(toPeers.length).toBeGreaterThan(0);
    expect(internal).toEqual(expect.arrayContaining([...toPeers]));
  }
});

describe.each(names)('the public port of %s', name => {
  it('knows no internal operation, with any token', async () => {
    expect(await askAll(name, 'url', internal)).toEqual(internal.map(notFound));
  });

  it('serves no probes and no metrics', async () => {
    const probes = ['/livez', '/readyz', '/metrics'].map(page);
    expect(await askAll(name, 'url', probes)).toEqual(probes.map(notFound));
  });

  it('serves the pages that the internal port does not', async () => {
    const pages = doors[name].pages.map(page);
    const answers = await askAll(name, 'url', pages);
    expect(answers.filter((answer, at) => answer === notFound(pages[at] as Question))).toEqual([]);
    expect(await askAll(name, 'internalUrl', pages)).toEqual(pages.map(notFound));
  });
});

it('the public port of the gateway has every public operation', async () => {
  const answers = await askAll('gateway', 'url', outward);
  expect(answers.filter((answer, at) => answer === notFound(outward[at] as Question))).toEqual([]);
});

describe.each(names)('the internal port of %s', name => {
  it('answers each operation for its peers, to whom the token belongs', async () => {
    const answers = await askAll(name, 'internalUrl', doors[name].toPeers);
    // A meaningless parameter or a missing body is refused only after the caller is authenticated.
    expect(answers.filter(answer => !/: (400 invalid_request|200)$/.test(answer))).toEqual([]);
  });

  it('serves no public operation', async () => {
    expect(await askAll(name, 'internalUrl', outward)).toEqual(outward.map(notFound));
  });

  it('answers probes', async () => {
    expect(await askAll(name, 'internalUrl', ['/livez', '/readyz'].map(page))).toEqual([
      '/livez: 200',
      '/readyz: 200',
    ]);
  });
});

describe.each(names)('while %s starts', name => {
  it('its public port answers normally or is closed, and its internal port says that it is starting', async () => {
    const outer = page(doors[name].pages[doors[name].pages.length - 1] as string);
    const inner = doors[name].toPeers[0] as Question;
    const usual = [await ask(name, 'url', outer), await ask(name, 'internalUrl', inner)];
    const seen = [new Set<string>(), new Set<string>()] as const;
    let isOver = false;
    const askOn = async (door: 'internalUrl' | 'url', question: Question, answers: Set<string>) => {
      while (!isOver) answers.add(await ask(name, door, question).catch(() => 'refused'));
    };
    const asking = Promise.all([askOn('url', outer, seen[0]), askOn('internalUrl', inner, seen[1])]);
    await house.services[name]?.restart();
    isOver = true;
    await asking;
    expect([...seen[0]].sort()).toEqual([usual[0], 'refused'].sort());
    const possible = [usual[1], 'refused', `${inner.id}: 503 service_unavailable`];
    expect(possible).toEqual(expect.arrayContaining([...seen[1]]));
  });
});
