import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { labSettings, startEngine, type TestEngine, until } from './engine-in-lab.ts';

let lab: MailLab;

beforeAll(async () => {
  const gmail = 'gmail-smtp-in.l.google.com';
  const outlook = 'outlook-com.olc.protection.outlook.com';
  lab = await startMailLab({
    catalog: [
      {
        domain: 'gmail.com',
        story: 'Greets every client.',
        dns: { mx: [[5, gmail]] },
        hosts: { [gmail]: postfix(['ada']) },
        expected: [],
      },
      {
        domain: 'outlook.com',
        story: 'Has a host that is away.',
        dns: { mx: [[5, outlook]] },
        hosts: { [outlook]: 'no_listener' },
        expected: [],
      },
    ],
  });
});

afterAll(() => lab.close());

async function withEngine(settings: Record<string, string>, work: (engine: TestEngine) => Promise<void>) {
  const engine = await startEngine({ ...labSettings(lab), ...settings });
  try {
    await work(engine);
  } finally {
    await engine.stop();
  }
}

test('readiness reports the standing of the service, which serves with any standing', async () => {
  await withEngine(
    { VALIDATION_STANDING_CHECK_HOURS: '1', VALIDATION_HELO_NAME: 'mx.nowhere.gmail.com' },
    async engine => {
      let report = await engine.readiness();
      await until(async () => {
        report = await engine.readiness();
        return report['advisories'] !== undefined;
      });
      expect(report).toMatchObject({ ready: true, checks: { postgres: 'ok', redis: 'ok' } });
      const advisories = report['advisories'] as { name: string; status: string; seenAt: string }[];
      expect(Object.fromEntries(advisories.map(({ name, status }) => [name, status]))).toEqual({
        // Slow answers are a warning, and this machine may be slow.
        resolvers: expect.stringMatching(/^(?:ok|warning)$/),
        port_25: 'warning',
        public_address: 'cannot_tell',
        ehlo_name: 'failed',
        reverse_dns: 'cannot_tell',
        block_lists: 'cannot_tell',
      });
      for (const { seenAt } of advisories) {
        expect(Number.isNaN(Date.parse(seenAt))).toBe(false);
      }
    },
  );
});

test('a service in a lab greets no host unless it is told to', async () => {
  lab.resetCounts();
  await withEngine({}, async engine => {
    await engine.validate('ada@gmail.com');
    expect(await engine.readiness()).toEqual({ ready: true, checks: { postgres: 'ok', redis: 'ok' } });
  });
  expect(lab.counts().smtp['gmail-smtp-in.l.google.com']?.connections).toBe(1);
});
