import { describe, expect, it } from '@jest/globals';
import { isDeliverable, prices, toolNames, validationResults } from '@mailproof/shared-types';
import { allPrompts, type Prompt } from './prompts.ts';

const given: Readonly<Record<string, Record<string, string>>> = {
  clean_list: { addresses: 'ada@ordinary.example\nbob@ordinary.example' },
  find_contacts: { company: 'ordinary.example', people: 'Ada Lovelace' },
};

const texts = allPrompts.map(({ name, input, textOf }) => textOf(input.parse(given[name])));

describe.each(allPrompts.map(({ name }, index) => [name, texts[index] ?? '']))(
  'the prompt %s',
  (name, text) => {
    it('names only tools that exist', () => {
      const named = text.match(/svc_\w+/g);
      expect(named).toContain('svc_validate_email');
      expect(toolNames).toEqual(expect.arrayContaining([...new Set(named)]));
    });

    it('states the price and waits for a yes before it spends', () => {
      const cost = text.indexOf(`costs ${prices.validation} credit`);
      const yes = text.indexOf('Wait for my confirmation');
      const spend = text.indexOf('Call `svc_validate_email` once');
      expect([cost > 0, yes > cost, spend > yes]).toEqual([true, true, true]);
    });

    it.each(validationResults)('says whether an address with the result %s is usable', result => {
      const line = text.split('\n').filter(each => each.startsWith(`- \`${result}\``));
      expect(line).toHaveLength(1);
      expect(line[0]?.endsWith(isDeliverable(result) ? 'Usable.' : 'Not usable.')).toBe(true);
    });

    it('quotes what the user typed', () => {
      for (const line of Object.values(given[name] ?? {}).flatMap(value => value.split('\n'))) {
        expect(text.split('\n')).toContain(`> ${line}`);
      }
    });
  },
);

describe('the prompt find_contacts', () => {
  const [, { input, textOf }] = allPrompts as [Prompt, Prompt];

  it('asks for people when it is given none', () => {
    expect(textOf(input.parse({ company: 'ordinary.example' }))).toContain('Do not invent names.');
  });

  it('refuses an empty company and a list beyond its limit', () => {
    expect(input.safeParse({ company: ' ' }).success).toBe(false);
    expect(input.safeParse({ company: 'a', people: 'x'.repeat(50_000) }).success).toBe(false);
  });
});
