/**
 * How likely a letter follows another one in names, from 0 to 9, where 6 is as likely as in random letters and a step is
 * a factor of 1.8: a row for each letter, a digit for each that follows it. Counted in the 37,000 first and last names of
 * all languages in Faker 10.6 (MIT), in Latin letters.
 */
const transitions = [
  '55664455546769340877563165',
  '93159006823503800731702050',
  '80508009827521801422620035',
  '92159026824534800743743066',
  '54565353546868640977473254',
  '90028613903623800845701051',
  '93248256833745820754834153',
  '93348115805657730755755063',
  '74867353146769641776442155',
  '93558113805345800154813032',
  '92237007803533900764734050',
  '94458334944753830244642062',
  '95338125913445840542631053',
  '93678174845226820367523055',
  '45563454345868351876695155',
  '90208309804502860744603030',
  '84055004900324600452954062',
  '94568254935456820566644064',
  '82628108808654750468643044',
  '91208108814434800767632054',
  '66676455546868450887234145',
  '90338222903525600673430051',
  '94258315814537621884504055',
  '82007202900050600426703333',
  '95468335605768631766754044',
  '94368028915455700432643066',
] as const;

/** The mean below which letters are random: 97 % of names are above it, and a fifth of random words of ten letters. */
const meanMin = 5;
/** Shorter words have too few transitions to tell. */
const lettersMin = 5;

/** Frequent names that the table takes for random letters, among the most frequent names of 20 languages. */
const frequentNames: ReadonlySet<string> = new Set(
  'aoife bobby boehm debby faruq haupt joaquim kampf koehl krzysztof lacroix lefebvre libby mcghee rafiq robby szewczyk szucs tadhg vazquez'.split(
    ' ',
  ),
);

/**
 * Whether a local part looks like random letters rather than like words or names. The first transition does not count,
 * because it may be that of an initial before a name, as in `jdoe`.
 */
export function looksRandom(localPart: string): boolean {
  return localPart
    .toLowerCase()
    .split(/[^a-z]+/)
    .some(word => word.length >= lettersMin && !isFrequentName(word) && isRandom(word));
}

/** A name alone, or after an initial. */
function isFrequentName(word: string): boolean {
  return frequentNames.has(word) || frequentNames.has(word.slice(1));
}

function isRandom(word: string): boolean {
  return !/[aeiouy]/.test(word) || meanOf(word) < meanMin;
}

function meanOf(word: string): number {
  let sum = 0;
  for (let at = 1; at + 1 < word.length; at += 1) {
    sum += Number(transitions[word.charCodeAt(at) - 97]?.charAt(word.charCodeAt(at + 1) - 97));
  }
  return sum / (word.length - 2);
}
