const suffixLetters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ012345';

/**
 * Ids of records as Salesforce writes them: a prefix of three characters says the kind of records, fifteen tell capital
 * and small letters apart, and three more say which are capital, for programs that do not.
 */
export function recordIdOf(keyPrefix: string, serial: number): string {
  const short = `${keyPrefix}LB${serial.toString().padStart(10, '0')}`;
  return short + suffixOf(short);
}

export function isRecordId(text: string): boolean {
  return /^(?:[0-9A-Za-z]{15}|[0-9A-Za-z]{18})$/.test(text);
}

/** The first fifteen characters, by which two ids are compared. */
export function shortId(id: string): string {
  return id.slice(0, 15);
}

function suffixOf(short: string): string {
  return [0, 5, 10]
    .map(start => {
      const capitals = [...short.slice(start, start + 5)].map((letter, place) =>
        /[A-Z]/.test(letter) ? 2 ** place : 0,
      );
      return suffixLetters[capitals.reduce((sum, bit) => sum + bit, 0)];
    })
    .join('');
}
