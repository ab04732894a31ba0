import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { catchAllPostfix, type MailLab, microsoft365, startMailLab } from '@mailproof/mail-lab';
import { parseEmailAddress } from '@mailproof/shared-types';
import { composeValidation } from '../src/compose/validation.ts';
import { loadValidationConfig } from '../src/config.ts';
import { labSettings } from './engine-in-lab.ts';

const tenant = 'behind-gateway-example.mail.protection.outlook.com';
let lab: MailLab;

beforeAll(async () => {
  lab = await startMailLab({
    catalog: [
      {
        domain: 'takes-all.example',
        story: 'Accepts every recipient.',
        dns: { mx: [[10, 'mx.takes-all.example']] },
        hosts: { 'mx.takes-all.example': catchAllPostfix() },
        expected: [],
      },
      {
        domain: 'behind-gateway.example',
        story: 'A gateway accepts every recipient, and the host behind it is not published.',
        dns: { mx: [[10, 'mxa-1.gslb.pphosted.com']] },
        hosts: {
          'mxa-1.gslb.pphosted.com': catchAllPostfix(),
          [tenant]: microsoft365(['ada'], {
            mailboxes: { full: '452 4.2.2 <{recipient}>: Recipient address rejected: Mailbox full' },
          }),
        },
        unpublishedExchanges: [tenant],
        expected: [],
      },
      {
        domain: 'gateway-alone.example',
        story: 'A gateway in front of mailboxes that are elsewhere.',
        dns: { mx: [[10, 'mxa-2.gslb.pphosted.com']] },
        hosts: { 'mxa-2.gslb.pphosted.com': catchAllPostfix() },
        expected: [],
      },
      {
        domain: 'outlook.com',
        story: 'Knows which tenant hosts exist.',
        dns: {},
        expected: [],
      },
      {
        domain: 'openpgp.org',
        story: 'The public key server.',
        dns: {},
        web: { 'keys.openpgp.org': { keyServer: ['ada@takes-all.example'] } },
        expected: [],
      },
      {
        domain: 'gravatar.com',
        story: 'Pictures by hashes of addresses.',
        dns: {},
        web: { 'gravatar.com': { avatars: ['ada@takes-all.example', 'grace@takes-all.example'] } },
        expected: [],
      },
    ],
  });
});

afterEach(() => lab.resetCounts());

afterAll(() => lab?.close());

async function validate(address: string, sources: string) {
  const settings = { ...labSettings(lab), VALIDATION_EVIDENCE_SOURCES: sources };
  const email = parseEmailAddress(address);
  if (!email.ok) {
    throw new Error(email.fault.message);
  }
  const { validate: ask, close } = composeValidation(loadValidationConfig(settings));
  const { verdict, evidence } = await ask(email.value, 15_000, new AbortController().signal);
  await close();
  return {
    result: verdict.result,
    findings: (evidence.catchAll?.observations ?? []).map(({ source, finding }) => `${source} ${finding}`),
  };
}

describe('sources that the operator has to name', () => {
  test.each([
    ['ada@takes-all.example', 'key_server', 'catch_all_validated', 'published'],
    ['grace@takes-all.example', 'key_server', 'catch_all', 'not_published'],
    ['Grace@takes-all.example', 'gravatar', 'catch_all', 'published'],
    ['eve@takes-all.example', 'gravatar', 'catch_all', 'not_published'],
  ])('%s by %s is %s', async (address, source, result, finding) => {
    expect(await validate(address, source)).toEqual({ result, findings: [`${source} ${finding}`] });
    expect(lab.counts().unscripted).toEqual([]);
  });

  test('are asked nothing unless they are named', async () => {
    await validate('ada@takes-all.example', 'default');
    await validate('ada@behind-gateway.example', 'default');
    const { web, smtp } = lab.counts();
    expect(web).toEqual({});
    expect(smtp[tenant]).toBeUndefined();
  });

  test('do not learn the address where a hash will do', async () => {
    await validate('grace@takes-all.example', 'gravatar');
    const asked = Object.keys(lab.counts().web).join();
    expect(asked).toMatch(/\/avatar\/[0-9a-f]{64}/);
    expect(asked).not.toContain('grace');
  });
});

describe('the unpublished host behind a gateway', () => {
  const source = 'unpublished_tenant_host';

  test.each([
    ['ada', 'catch_all_validated', 'knows_recipient'],
    ['full', 'unknown', 'full'],
    // Weighed, but not proof: the domain may have mailboxes elsewhere.
    ['nobody', 'catch_all', 'missing'],
  ])('knows %s@: %s', async (localPart, result, finding) => {
    const validation = await validate(`${localPart}@behind-gateway.example`, source);
    expect(validation).toEqual({ result, findings: [`${source} ${finding}`] });
    expect(lab.counts().smtp[tenant]?.connections).toBe(1);
    expect(lab.counts().unscripted).toEqual([]);
  });

  test('is no evidence where it does not exist, and is not looked for without a gateway', async () => {
    const nothing = { result: 'catch_all', findings: [] };
    expect(await validate('ada@gateway-alone.example', source)).toEqual(nothing);
    lab.resetCounts();
    expect(await validate('ada@takes-all.example', source)).toEqual(nothing);
    expect(Object.keys(lab.counts().dns.byName).filter(name => name.includes('outlook'))).toEqual([]);
  });
});
