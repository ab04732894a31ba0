import { keyOfText } from './dictionary.ts';

/** Forms of companies, and the word between two of them. */
const legalForms = new Set(
  'inc incorporated llc llp lp ltd limited gmbh mbh ag se kg kgaa ug ohg ev sa sas sasu sarl srl spa sl slu bv nv plc corp corporation co company oy oyj ab as asa aps pty pvt private kk sro doo zoo holding holdings group and'.split(
    ' ',
  ),
);

/** A company's name as it is compared: without its legal form at the end and an article in front, unless that is all. */
export function keyOfCompanyName(name: string): string {
  const words = keyOfText(name).split(' ');
  while (words.length > 1 && legalForms.has(words.at(-1) ?? '')) {
    words.pop();
  }
  if (words.length > 1 && words[0] === 'the') {
    words.shift();
  }
  return words.join(' ');
}
