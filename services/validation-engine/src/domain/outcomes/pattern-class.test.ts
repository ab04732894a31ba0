import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { emailOf } from '../testing/fakes.ts';
import { patternClasses, patternClassOf } from './pattern-class.ts';

const roles = new Set(['info', 'sales']);
const classOf = (localPart: string) => patternClassOf(emailOf(`${localPart}@a.example`), roles);

describe('the shape of a local part', () => {
  test.each([
    ['ada.lovelace', 'word.word'],
    ['Ada.Lovelace', 'word.word'],
    ['ada_lovelace', 'word_word'],
    ['ada-lovelace', 'word-word'],
    ['a.lovelace', 'initial.word'],
    ['a_lovelace', 'initial_word'],
    ['a-lovelace', 'initial-word'],
    ['ada.l', 'word.initial'],
    ['ada_l', 'word_initial'],
    ['ada-l', 'word-initial'],
    ['ada.k.lovelace', 'several_words'],
    ['jean-luc.picard', 'several_words'],
    ['alovelace', 'word'],
    ['lovelacea', 'word'],
    ['grace', 'word'],
    ['ada', 'initials'],
    ['al', 'initials'],
    ['a.l', 'initials'],
    ['ada99', 'name_and_number'],
    ['ada.lovelace2', 'name_and_number'],
    ['ada_1815', 'name_and_number'],
    ['a.lovelace2', 'name_and_number'],
    ['a-lovelace-k99', 'name_and_number'],
    ['a1', 'other'],
    ['a.l2', 'other'],
    ['info', 'role'],
    ['Info+fair', 'role'],
    ['info.berlin', 'role'],
    ['kontakt-hamburg', 'role'],
    ['investor.relations', 'role'],
    ['human_resources', 'role'],
    ['front.desk', 'role'],
    ['maria.sales', 'word.word'],
    ['infobel.ames', 'word.word'],
    ['ada.press', 'word.word'],
    ['ada.lovelace+news', 'word.word'],
    ['1815', 'other'],
    ['a1b2c3d4', 'other'],
    ['"ada lovelace"', 'other'],
    ['ada__lovelace', 'other'],
    ['jörg.müller', 'word.word'],
    ['jo\u0308rg.muller', 'word.word'],
    ["j.o'brien", 'initial.word'],
  ])('%s: %s', (localPart, expected) => {
    expect(classOf(localPart)).toBe(expected);
  });

  test('does not change with case, and is always one of the list', () => {
    const atom = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._+-]{0,20}[a-zA-Z0-9]$/);
    fc.assert(
      fc.property(
        atom.filter(text => !text.includes('..')),
        text => {
          expect(patternClasses).toContain(classOf(text));
          expect(classOf(text.toUpperCase())).toBe(classOf(text.toLowerCase()));
        },
      ),
    );
  });
});
