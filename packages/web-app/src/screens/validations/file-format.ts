import type { paths } from '../../api/generated/schema.d.ts';

type Query = NonNullable<paths['/validation-jobs']['post']['parameters']['query']>;

/** How to read a file; what is left out is detected. */
export type Reading = Readonly<Pick<Query, 'encoding' | 'delimiter' | 'sheet'>>;

export const encodings = {
  'utf-8': 'UTF-8',
  'utf-16le': 'UTF-16, little-endian',
  'utf-16be': 'UTF-16, big-endian',
  'windows-1252': 'Windows, Western Europe (1252)',
  'windows-1250': 'Windows, Central Europe (1250)',
  'windows-1251': 'Windows, Cyrillic (1251)',
  'windows-1253': 'Windows, Greek (1253)',
  'windows-1254': 'Windows, Turkish (1254)',
  'iso-8859-2': 'ISO 8859-2, Central Europe',
  'iso-8859-15': 'ISO 8859-15, Western Europe',
  'koi8-r': 'KOI8-R, Cyrillic',
  macintosh: 'Mac OS Roman',
  shift_jis: 'Shift JIS, Japanese',
  gb18030: 'GB 18030, Chinese',
  big5: 'Big5, Chinese',
  'euc-kr': 'EUC-KR, Korean',
} as const satisfies Record<NonNullable<Query['encoding']>, string>;

export const delimiters = {
  ',': 'Commas',
  ';': 'Semicolons',
  tab: 'Tabs',
  '|': 'Vertical bars',
  none: 'None: one cell per line',
} as const satisfies Record<NonNullable<Query['delimiter']>, string>;

/** Changes a part of how to read a file; an empty value leaves it to the detection. */
export function withChoice(reading: Reading, change: Partial<Record<keyof Reading, string>>): Reading {
  const given = Object.entries({ ...reading, ...change }).filter(([, value]) => value !== '');
  return Object.fromEntries(given) as Reading;
}
