import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wordsOfName } from './name-words.ts';

it.each([
  ['Ada Lovelace', ['ada', 'lovelace']],
  ['  LOVELACE,  Ada ', ['lovelace', 'ada']],
  ['J.R.R. Tolkien', ['j', 'r', 'r', 'tolkien']],
  ['Jean-Luc O’Brien', ['jean', 'luc', 'obrien']],
  ['José Müller Straßer', ['jose', 'muller', 'strasser']],
  ['Łukasz Yıldız İnan', ['lukasz', 'yildiz', 'inan']],
  ['山田 太郎', ['山田', '太郎']],
  ['…', []],
])('divides %j into %j', (name, words) => expect(wordsOfName(name)).toEqual(words));

it('finds the same words in words that are already divided', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 60 }), text => {
      const words = wordsOfName(text);
      expect(wordsOfName(words.join(' '))).toEqual(words);
    }),
  );
});
