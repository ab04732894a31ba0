import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { labSettings, startEngineProcess, type TestEngine } from './engine-in-lab.ts';

const sessionsMax = 3;
const busyHost = 'mx.popular.example';
const shyHost = 'mx.shy.example';

let lab: MailLab;
let engines: TestEngine[];

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'popular.example',
        story: 'Many of its people are asked about at once.',
        dns: { mx: [[10, busyHost]] },
        hosts: { [busyHost]: { ...postfix(['ada']), replyDelayMs: 10 } },
        expected: [],
      },
      {
        domain: 'shy.example',
        story: 'Takes one session at a time.',
        dns: { mx: [[10, shyHost]] },
        hosts: { [shyHost]: { ...postfix(['ada']), concurrentSessionsMax: 1 } },
        expected: [],
      },
    ],
  });
  const settings = {
    ...labSettings(lab),
    REDIS_URL: await testRedisUrl('validation-engine'),
    VALIDATION_SESSIONS_PER_HOST_MAX: String(sessionsMax),
  };
  engines = await Promise.all([startEngineProcess(settings), startEngineProcess(settings)]);
});

afterAll(async () => {
  await Promise.all(engines.map(engine => engine.stop()));
  await lab.close();
});

async function askBoth(count: number, domain: string) {
  const verdicts = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      (engines[index % engines.length] as TestEngine).validate(
        index % 4 === 0 ? `ada@${domain}` : `nobody${index}@${domain}`,
      ),
    ),
  );
  return new Set(verdicts.map(({ result }, index) => `${index % 4 === 0 ? 'ada' : 'nobody'} ${result}`));
}

test('a host never sees more sessions at once than the cap from two engine processes, and every address gets a verdict', async () => {
  expect(await askBoth(60, 'popular.example')).toEqual(new Set(['ada ok', 'nobody invalid']));
  const { sessionsPeak, connections } = lab.counts().smtp[busyHost] ?? {};
  expect(sessionsPeak).toBeLessThanOrEqual(sessionsMax);
  // Each session serves many addresses.
  expect(connections).toBeLessThan(20);
});

test('a host that accepts one session at a time gets one at a time, and every address gets a verdict', async () => {
  expect(await askBoth(24, 'shy.example')).toEqual(new Set(['ada ok', 'nobody invalid']));
});
