import { describe, expect, test } from '@jest/globals';
import { amply } from '../testing/fakes.ts';
import { decideCatchAll } from './decide-catch-all.ts';
import type { EvidenceSource } from './evidence-source.ts';
import { domainKind, localPartShape, mailProvider } from './kind-of-address.ts';
import type { Observation } from './observation.ts';
import { inquiryAbout, portsOf } from './testing/fakes.ts';
import { weigh } from './weigh.ts';
import { weights } from './weights.ts';

async function found(source: EvidenceSource, address: string, host = 'mx.a.example'): Promise<string[]> {
  const inquiry = inquiryAbout(address, { mailHosts: [{ name: host, preference: 10 }] });
  const { observations } = await source.gather(portsOf({}).ports, inquiry, amply());
  return observations.map(({ finding }) => finding);
}

describe('the kind of an address', () => {
  test.each([
    ['eu-smtp-inbound-1.mimecast.com', ['gateway', 'mimecast']],
    ['a-example.mail.protection.outlook.com', ['mailbox_host', 'microsoft_365']],
    ['mx.a.example', ['own_host']],
  ])('has the provider of %s', async (host, findings) => {
    expect(await found(mailProvider, 'ada@a.example', host)).toEqual(findings);
  });

  test.each([
    ['ada@physics.ac.uk', ['education']],
    ['ada@works.gov', ['government']],
    ['ada@a.example', []],
  ])('has the kind of domain of %s', async (address, findings) => {
    expect(await found(domainKind, address)).toEqual(findings);
  });

  test.each([
    ['info@a.example', 'role'],
    ['ada.lovelace@a.example', 'word.word'],
    ['xqzvkwpt@a.example', 'random'],
    ['a1b2c3@a.example', 'other'],
  ])('has the shape of %s', async (address, finding) => {
    expect(await found(localPartShape, address)).toEqual([finding]);
  });

  test('confirms no address, even if its weights and the prior are as high as possible', () => {
    const kinds = [
      { source: 'mail_provider', finding: 'mailbox_host' },
      { source: 'local_part_shape', finding: 'role' },
    ] as const satisfies readonly Observation[];
    const { mail_provider: provider, local_part_shape: shape } = weights.sources;
    const highest = {
      ...weights,
      sources: {
        ...weights.sources,
        mail_provider: { ...provider, llr: { ...provider.llr, mailbox_host: 6 } },
        local_part_shape: { ...shape, llr: { ...shape.llr, role: 6 } },
      },
    };
    expect(weigh(kinds, highest, weights.prior).posterior).toBeLessThan(0.95);
    const certain = weigh(kinds, highest, 0.99);
    expect(certain.posterior).toBeGreaterThan(0.95);
    expect(decideCatchAll(certain).result).toBe('catch_all');
  });
});
