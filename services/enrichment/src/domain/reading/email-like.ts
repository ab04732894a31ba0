/** What stands for the sign in the middle, also as pages and addresses write it for programs, and people against them. */
const at = String.raw`(?:[@＠﹫]|&#0*64;|&#x0*40;|&commat;|%40|[([{<]\s?(?:at|@)\s?[)\]}>])`;
const dot = String.raw`(?:[.．。｡]|%2e|\s?[([{<]\s?(?:dot|\.)\s?[)\]}>]\s?)`;
const local = String.raw`[\p{L}\p{N}._%+'-]{1,64}`;
const label = String.raw`[\p{L}\p{N}-]+`;

/** Whatever could be an email address, in the spellings by which they are hidden from programs, too. */
const emailLike = new RegExp(
  `${local}\\s?${at}\\s?${label}(?:${dot}${label})+|${local}\\s+at\\s+${label}(?:\\s+dot\\s+${label})+`,
  'giu',
);

/** Most texts have nothing of it; looking for these first is much quicker. */
const suspicious = /[@＠﹫]|%40|&#|&commat;|[([{<]\s?at\s?[)\]}>]|\sat\s/i;

/** Signs that nobody sees, by which an address can be parted. */
const invisible = /(?:\ufeff|(?!\s)[\p{Cc}\p{Cf}])+/gu;

/** The text without anything that could be an email address. */
export function withoutEmails(text: string): string {
  if (!suspicious.test(text)) {
    return text;
  }
  const seen = text.replace(invisible, '');
  const clean = seen.replace(emailLike, ' ');
  return clean === seen ? text : clean;
}

/** Whether a text, or what it says after decoding as an address on the web does, has an email address in it. */
export function hasEmail(text: string): boolean {
  return withoutEmails(text) !== text || withoutEmails(decoded(text)) !== decoded(text);
}

function decoded(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, octets => {
    try {
      return decodeURIComponent(octets);
    } catch {
      return octets;
    }
  });
}
