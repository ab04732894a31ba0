import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  keysOfCandidate,
  keysOfName,
  looksRandom,
  namePatternShares,
  namePatterns,
  patternsMaking,
  readCandidate,
  spellName,
  splitName,
  type WrittenName,
} from './index.ts';
import { makeLocalPart } from './name-patterns.ts';

function patternsOf(localPart: string, name: WrittenName | string) {
  const candidate = readCandidate(localPart);
  const written = typeof name === 'string' ? { fullName: name } : name;
  return candidate === undefined ? [] : patternsMaking(candidate, spellName(written));
}

describe('a local part that a name makes', () => {
  test.each([
    ['ada.lovelace', 'first.last'],
    ['ada_lovelace', 'first_last'],
    ['ada-lovelace', 'first-last'],
    ['adalovelace', 'firstlast'],
    ['a.lovelace', 'f.last'],
    ['alovelace', 'flast'],
    ['ada.l', 'first.l'],
    ['adal', 'firstl'],
    ['lovelace.ada', 'last.first'],
    ['lovelaceada', 'lastfirst'],
    ['lovelacea', 'lastf'],
    ['lovelace.a', 'last.f'],
    ['ada', 'first'],
    ['lovelace', 'last'],
    ['Ada.Lovelace+news', 'first.last'],
    ['ada.k.lovelace', 'first.m.last'],
    ['aklovelace', 'fmlast'],
  ])('%s: %s', (localPart, pattern) => {
    expect(patternsOf(localPart, 'Ada King Lovelace')).toEqual([pattern]);
  });

  test.each([
    ['joerg.mueller', 'Jörg Müller'],
    ['jorg.muller', 'Jörg Müller'],
    ['jörg.müller', 'Jörg Müller'],
    ['jo\u0308rg.mu\u0308ller', 'Jörg Müller'],
    ['h.strasser', 'Hanna Straßer'],
    ['rene.dubois', 'René Dubois'],
    ['soeren.oestergaard', 'Søren Østergaard'],
    ['soren.ostergaard', 'Søren Østergaard'],
    ['asa.lindstrom', 'Åsa Lindström'],
    ['aasa.lindstroem', 'Åsa Lindström'],
    ['lukasz.walesa', 'Łukasz Wałęsa'],
    ['inigo.nunez', 'Íñigo Núñez'],
    ['isil.yildiz', 'Işıl Yıldız'],
    ['sergey.shcherbakov', 'Сергей Щербаков'],
    ['sergei.shcherbakov', 'Сергей Щербаков'],
    ['dmitry.volkov', 'Дмитрий Волков'],
    ['j.schtscherbakow', 'Юрий Щербаков'],
    ['g.papadopoulos', 'Γιώργος Παπαδόπουλος'],
    ['jan.vandenberg', 'Jan van den Berg'],
    ['jan.berg', 'Jan van den Berg'],
    ['jvandenberg', 'Jan van den Berg'],
    ['m.dos.santos', 'Maria dos Santos'],
    ['jean-luc.picard', 'Jean-Luc Picard'],
    ['jeanluc.picard', 'Jean-Luc Picard'],
    ['jlpicard', 'Jean-Luc Picard'],
    ['jean.picard', 'Jean-Luc Picard'],
    ['a.meier-huber', 'Anna Meier-Huber'],
    ['ameier', 'Anna Meier-Huber'],
    ['sinead.oconnor', 'Sinéad O’Connor'],
    ['robert.downey', 'Dr. Robert Downey Jr.'],
    ['grace.hopper', 'Hopper, Grace'],
    ['grace.hopper', 'Grace Hopper, PhD'],
    ['bill.gates', 'Bill (William) Gates'],
    ['hans-peter.meyer-luedenscheid', 'Hans-Peter Meyer-Lüdenscheid'],
    ['hans.meyer', 'Hans-Peter Meyer-Lüdenscheid'],
    ['annemarie.legoff', 'Anne Marie Le Goff'],
    ['abdulrahman.binsaleh', 'Abdul Rahman bin Saleh'],
    ['thihong.nguyen', 'Thị Hồng Nguyễn'],
    ['niamh.nibhriain', 'Niamh Ní Bhriain'],
    ['ewan.macdonald', 'Ewan Mac Donald'],
    ['pvdberg', 'Pieter van den Berg'],
    ['mohammed.fayed', 'Mohammed Al-Fayed'],
    ['yulia.ivanova', 'Юлия Иванова'],
    ['maria.volkova', 'Мария Волкова'],
    ["sinead.o'connor", 'Sinéad O’Connor'],
    ['sinead.o’connor', "Sinéad O'Connor"],
  ])('%s: %s', (localPart, fullName) => {
    expect(patternsOf(localPart, fullName)).not.toEqual([]);
  });

  test('has both last names of a Spanish name, or the first of them', () => {
    const name = { fullName: 'Gabriel García Márquez', firstName: 'Gabriel', lastName: 'García Márquez' };
    expect(patternsOf('ggarcia', name)).toEqual(['flast']);
    expect(patternsOf('gabriel.garciamarquez', name)).toEqual(['first.last']);
  });

  test.each([
    ['ada.byron', 'Ada Lovelace'],
    ['ada.love', 'Ada Lovelace'],
    ['bob.lovelace', 'Robert Lovelace'],
    ['wang.xiaoming', '王小明'],
    ['ada', 'Ada'],
    ['info', 'Ada Lovelace'],
    ['mohammed.al', 'Mohammed Al-Fayed'],
    ['jan.de', 'Jan de Vries'],
    ['karl.von', 'Karl von der Heide'],
    ['maria.lovelace', 'Anna Maria Lovelace'],
    ['o.connor', 'Sinéad O’Connor'],
    ['mgdgarciacruz', 'Maria García de la Cruz'],
    // By `first.last`, which the unsplit name does not tell, and not by `first`.
    ['jose.garcia', 'José García López'],
  ])('%s is not made by %s', (localPart, fullName) => {
    expect(patternsOf(localPart, fullName)).toEqual([]);
  });

  test('takes an initial for no name', () => {
    expect(patternsOf('a.berg', 'A. Berg')).toEqual(['f.last']);
    expect(patternsOf('aberg', 'A. Berg')).toEqual(['flast']);
    expect(patternsOf('anna.b', 'Anna B.')).toEqual(['first.l']);
  });

  test('may have a number that tells namesakes apart', () => {
    expect(readCandidate('anna.meier2')).toEqual({ base: 'anna.meier', isNumbered: true });
    expect(readCandidate('anna.meier')).toEqual({ base: 'anna.meier', isNumbered: false });
  });

  test.each(['a', 'al', 'a.b', '1815', 'a1b2c3d4', 'x'.repeat(49), 'ada lovelace'])(
    '%s is no name',
    localPart => {
      expect(readCandidate(localPart)).toBeUndefined();
    },
  );
});

const word = fc.stringMatching(/^[A-ZÄÖÜØ][a-zäöüßéñ]{1,12}$/);
const fullName = fc
  .array(fc.oneof(word, fc.constantFrom('van', 'de', 'Jean-Luc', 'Щербаков', 'O’Brien')), {
    minLength: 2,
    maxLength: 5,
  })
  .map(words => words.join(' '));

describe('the keys of names', () => {
  test('find the name of each local part that it makes', () => {
    fc.assert(
      fc.property(fullName, fc.constantFrom(...namePatterns), (name, pattern) => {
        const spellings = spellName({ fullName: name });
        const keys = keysOfName(spellings);
        for (const spelled of spellings) {
          const candidate = readCandidate(makeLocalPart(pattern, spelled) ?? '');
          if (candidate !== undefined) {
            expect(patternsMaking(candidate, spellings)).toContain(pattern);
            expect([...keysOfCandidate(candidate)].some(key => keys.has(key))).toBe(true);
          }
        }
      }),
      { numRuns: 1_000 },
    );
  });

  test('are few, for any text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 200 }),
        fc.string({ maxLength: 70 }),
        (name, text) => {
          expect(keysOfName(spellName({ fullName: name })).size).toBeLessThanOrEqual(96);
          const candidate = readCandidate(text);
          expect(candidate === undefined ? 0 : keysOfCandidate(candidate).size).toBeLessThan(96);
        },
      ),
    );
  });
});

describe('random letters', () => {
  test.each(['xkcdqzpw', 'bcjkwh', 'tvxlr', 'asdfgh', 'zxcvbn.ada'])('%s', localPart => {
    expect(looksRandom(localPart)).toBe(true);
  });

  test.each([
    'ada.lovelace',
    'jdoe',
    'schwarzschild',
    'nguyen',
    'kowalczyk',
    'info',
    'li',
    'mvandenberg',
    'mbappe',
    'krzysztof.nowak',
    'joaquim_vazquez',
    'clefebvre',
  ])('%s are none', localPart => {
    expect(looksRandom(localPart)).toBe(false);
  });
});

test('the shares of all patterns add up to one', () => {
  const sum = Object.values(namePatternShares).reduce((total, share) => total + share, 0);
  expect(sum).toBeCloseTo(1, 2);
});

describe('a full name', () => {
  test.each([
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['Lovelace, Ada', 'Ada', 'Lovelace'],
    ['Dr. Ada King Lovelace, PhD', 'Ada King', 'Lovelace'],
    ['Ludwig van Beethoven', 'Ludwig', 'van Beethoven'],
    ['María de la Cruz Gómez', 'María', 'de la Cruz Gómez'],
    ['Prof. Dr. Hans-Peter von der Heide', 'Hans-Peter', 'von der Heide'],
    ['J. R. R. Tolkien', 'J. R. R.', 'Tolkien'],
    ["Sinéad O'Connor", 'Sinéad', "O'Connor"],
    ['Martin Luther King Jr.', 'Martin Luther', 'King'],
    ['Robert (Bob) Smith III', 'Robert', 'Smith'],
    ['Jack Ma', 'Jack', 'Ma'],
    ['Jane Doe MA', 'Jane', 'Doe'],
    ['Van Morrison', 'Van', 'Morrison'],
    ['Madonna', null, 'Madonna'],
    ['山田太郎', null, '山田太郎'],
    ['Dr.', null, 'Dr.'],
    ['JACK MA', 'JACK', 'MA'],
    ['Mag Smith', 'Mag', 'Smith'],
    ['Mag. Anna Huber', 'Anna', 'Huber'],
    ['Dr.-Ing. Max Mustermann', 'Max', 'Mustermann'],
    ['Max Mustermann, Dipl.-Ing. (FH)', 'Max', 'Mustermann'],
    ['García Márquez, Gabriel', 'Gabriel', 'García Márquez'],
    ['Smith, John, PhD', 'John', 'Smith'],
    ['Ada Lovelace, P.Eng.', 'Ada', 'Lovelace'],
    ['Ada Lovelace, SPHR', 'Ada', 'Lovelace'],
    ['LOVELACE KING, ADA', 'ADA', 'LOVELACE KING'],
    ['María del Carmen López García', 'María del Carmen', 'López García'],
    ['María de los Ángeles Ruiz', 'María de los Ángeles', 'Ruiz'],
    ['Luiz Inácio Lula da Silva', 'Luiz Inácio Lula', 'da Silva'],
    ['Eoin Mac Giolla', 'Eoin', 'Mac Giolla'],
    ['Ian St. John', 'Ian', 'St. John'],
    ['Dr. med. Eva Schmidt', 'Eva', 'Schmidt'],
    ['Dr. rer. nat. Eva Schmidt', 'Eva', 'Schmidt'],
    ['Freiherr Karl von und zu Guttenberg', 'Karl', 'von und zu Guttenberg'],
  ])('%s is split into %s and %s', (fullName, first, last) => {
    expect(splitName({ fullName })).toEqual({ first, last });
  });

  test('is not split if the source gives its parts', () => {
    expect(
      splitName({ fullName: 'García Márquez, G.', firstName: 'Gabriel', lastName: 'García Márquez' }),
    ).toEqual({
      first: 'Gabriel',
      last: 'García Márquez',
    });
  });
});
