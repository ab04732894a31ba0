import { pick, pickEarly, type Random } from './random.ts';
import type { Country, Pattern, Rates } from './rates.ts';

/** A person’s name as the person writes it. */
export interface PersonName {
  readonly first: string;
  /** The second part of a double first name, if any. */
  readonly secondFirst?: string;
  readonly particle?: string;
  readonly last: string;
  /** The second surname, and whether a hyphen joins it. */
  readonly secondLast?: { readonly name: string; readonly hyphen: boolean };
  readonly middleInitial: string;
  readonly country: Country;
}

/** How a company makes local parts of names. */
export interface NameRules {
  readonly umlautWithE: boolean;
  readonly particleKept: boolean;
  readonly doubleSurnameWhole: boolean;
}

interface NameLists {
  readonly first: readonly string[];
  readonly last: readonly string[];
  /** Parts that rarer surnames are made of. */
  readonly stems: readonly string[];
  readonly endings: readonly string[];
  readonly particles: readonly string[];
  /** The share of people with a particle. */
  readonly particleShare: number;
}

const words = (text: string) => text.split(' ');

const english = {
  stems: words(
    'ash black brad clay dun ed fair gar hart kings lang mar nor oak pres red shel thorn wal win york al bran cran drum elm fen grim hal ing kel lock mil nel or pem ros stan tal un ver wes',
  ),
  endings: words(
    'bourne bury combe den field ford gate ham hurst land ley man more ner sey son stead ton well wick worth ridge brook wood by thorpe dale',
  ),
  particles: ['Mac', 'O’'],
  particleShare: 0.02,
};

/** The most frequent names, and parts of rarer ones. Spellings with letters beyond ASCII are frequent on purpose. */
const lists: Readonly<Record<Country, NameLists>> = {
  us: {
    ...english,
    first: words(
      'James Mary Michael Jennifer Robert Linda John Patricia David Elizabeth William Susan Richard Jessica Joseph Sarah Thomas Karen Christopher Nancy Daniel Lisa Matthew Betty Anthony Ashley Mark Emily Steven Kimberly Andrew Donna Kevin Carol Brian Michelle',
    ),
    last: words(
      'Smith Johnson Williams Brown Jones Garcia Miller Davis Rodriguez Martinez Hernandez Lopez Gonzalez Wilson Anderson Thomas Taylor Moore Jackson Martin Lee Perez Thompson White Harris',
    ),
  },
  gb: {
    ...english,
    first: words(
      'Oliver Amelia George Olivia Harry Isla Jack Emily Jacob Ava Charlie Lily Thomas Grace William Sophie James Jessica Daniel Poppy Samuel Ruby Joseph Evie Edward Chloe Henry Charlotte',
    ),
    last: words(
      'Smith Jones Williams Taylor Brown Davies Evans Wilson Thomas Johnson Roberts Robinson Thompson Wright Walker White Edwards Hughes Green Hall Patel Khan Singh Lewis Clarke',
    ),
  },
  de: {
    first: words(
      'Thomas Sabine Michael Andrea Andreas Petra Stefan Jürgen Björn Jörg Günther Käthe Ulrich Claudia Frank Monika Markus Susanne Jörn Anke Matthias Birgit Wolfgang Heike Klaus Ute Christian Nicole Sören Jana',
    ),
    last: words(
      'Müller Schmidt Schneider Fischer Weber Meyer Wagner Becker Schulz Hoffmann Schäfer Koch Bauer Richter Klein Wolf Schröder Neumann Schwarz Zimmermann Braun Krüger Hofmann Hartmann Lange Krause Köhler Böhm Jäger Groß',
    ),
    stems: words(
      'Alten Birk Büch Dor Eich Feld Grün Haber Kalk Lind Mühl Nieder Ober Roß Schön Stein Tannen Unter Wald Ziegen Hinter Kirch Löwen Rüben Burg',
    ),
    endings: words('bach berg brand hauser hoff mann maier müller reich stein thal wald weiler witz ler ner'),
    particles: ['von', 'von der', 'zu'],
    particleShare: 0.02,
  },
  fr: {
    first: words(
      'Jean Marie Pierre Nathalie Michel Isabelle André Sylvie Philippe Catherine René Françoise Éric Valérie Nicolas Hélène François Aurélie Gérard Céline Jérôme Chloé Benoît Zoé',
    ),
    last: words(
      'Martin Bernard Thomas Petit Robert Richard Durand Dubois Moreau Laurent Simon Michel Lefèbvre Leroy Roux David Bertrand Morel Fournier Girard Bonnet Dupont Lambert Fontaine Rousseau Vincent Müller Lefèvre Faure André',
    ),
    stems: words(
      'Beau Bel Bour Cham Char Cler Cour Dar Del Fon Gau Grand Haute Lan Mal Mon Mont Per Pré Roche Saint Val Ver Ville Blan',
    ),
    endings: words(
      'champ court cour don fort gnon gny lier lin mont nard net ot pont rieux rond ton vais ville',
    ),
    particles: ['de', 'de la', 'du', 'Le'],
    particleShare: 0.06,
  },
  es: {
    first: words(
      'Antonio María José Carmen Manuel Ana Francisco Isabel David Laura Juan Cristina Javier Marta Daniel Lucía Carlos Raquel Jesús Mónica Álvaro Beatriz Iván Begoña Íñigo Núria',
    ),
    last: words(
      'García Rodríguez González Fernández López Martínez Sánchez Pérez Gómez Martín Jiménez Ruiz Hernández Díaz Moreno Muñoz Álvarez Romero Alonso Gutiérrez Navarro Torres Domínguez Vázquez Ramos Núñez',
    ),
    stems: words(
      'Al Arr Bar Cabr Can Cast Cerv Esc Espin Fuent Gal Herr Iglesi Lar Mel Mir Oliv Palom Quint Riv Sald Salv Vald Vill Zub',
    ),
    endings: words('ales anda aña arez aro asco edo ejo ellas era eros illo ina izo oso osa ueta uela zábal'),
    particles: ['de la', 'del', 'de'],
    particleShare: 0.04,
  },
  nl: {
    first: words(
      'Jan Maria Johannes Anna Pieter Johanna Kees Elisabeth Hendrik Cornelia Willem Marjolein Daan Emma Sem Tess Lucas Sophie Levi Julia Finn Zoë Bram Sanne Joris Femke Thijs Anouk',
    ),
    last: words(
      'Jong Jansen Vries Berg Bakker Dijk Visser Janssen Smit Meijer Boer Mulder Groot Bos Vos Peters Hendriks Leeuwen Dekker Brouwer Wit Dijkstra Smits Graaf Meer Kok Jacobs Haan Vermeulen Heuvel',
    ),
    stems: words(
      'Bloem Boom Broek Dam Eg Haver Hoog Koop Laar Meul Nieuw Oost Peel Roos Schot Sloot Steen Veld Water West Wil Zand Zuid Noord Kamp',
    ),
    endings: words(
      'akker berg beek dijk donk eveld horst huis kamp man meer mans rade sma stra veld voort wijk',
    ),
    particles: ['van', 'de', 'van den', 'van der', 'van de', 'ten', 'ter'],
    particleShare: 0.3,
  },
  pl: {
    first: words(
      'Jan Anna Andrzej Maria Piotr Katarzyna Krzysztof Małgorzata Stanisław Agnieszka Tomasz Barbara Paweł Ewa Józef Krystyna Marcin Elżbieta Marek Zofia Michał Joanna Grzegorz Bożena Jerzy Łukasz',
    ),
    last: words(
      'Nowak Kowalski Wiśniewski Wójcik Kowalczyk Kamiński Lewandowski Zieliński Szymański Woźniak Dąbrowski Kozłowski Jankowski Mazur Wojciechowski Kwiatkowski Krawczyk Kaczmarek Piotrowski Grabowski Pawłowski Michalski Król',
    ),
    stems: words(
      'Bart Biel Bor Brzez Chmiel Czar Dęb Domań Gaj Gołę Jab Kali Lip Łęcz Maj Ostr Pol Rad Sad Sik Sos Tar Urb Wil Zaw Żuraw',
    ),
    endings: words('ak czyk ewski icki iński ka kiewicz kowski nik nowski orowski owicz ski szewski yński'),
    particles: [],
    particleShare: 0,
  },
  se: {
    first: words(
      'Lars Anna Karl Eva Anders Maria Johan Karin Per Kristina Nils Lena Erik Emma Jan Sara Mikael Åsa Göran Märta Björn Håkan Sören Ulla Jörgen Ylva Östen Malin',
    ),
    last: words(
      'Andersson Johansson Karlsson Nilsson Eriksson Larsson Olsson Persson Svensson Gustafsson Pettersson Jonsson Jansson Hansson Bengtsson Jönsson Lindberg Jakobsson Magnusson Lindström Olofsson Lindqvist Lindgren Berg Axelsson Bergström Sjöberg Öberg Åkesson',
    ),
    stems: words(
      'Alm Berg Björk Dal Ek Fors Gran Hag Hed Holm Käll Lind Lund Mal Norr Ny Öst Rosen Sand Sjö Söder Strand Sund Väst Åker',
    ),
    endings: words(
      'ander berg blad blom borg dahl gren holm in kvist lund man mark näs qvist stam ström vall',
    ),
    particles: ['af', 'von'],
    particleShare: 0.01,
  },
  tr: {
    first: words(
      'Mehmet Fatma Mustafa Ayşe Ahmet Emine Ali Hatice Hüseyin Zeynep Hasan Elif İbrahim Meryem İsmail Şerife Osman Sultan Yusuf Özlem Murat Gülşen Ömer Çiğdem Ramazan Şule Halil Işıl',
    ),
    last: words(
      'Yılmaz Kaya Demir Şahin Çelik Yıldız Yıldırım Öztürk Aydın Özdemir Arslan Doğan Kılıç Aslan Çetin Kara Koç Kurt Özkan Şimşek Polat Korkmaz Güneş Çakır Erdoğan',
    ),
    stems: words(
      'Ak Al Alt Bal Boz Can Demir Er Gök Gül Güm Kar Kök Kut Öz Sar Sönm Taş Tek Tun Uç Ün Yağ Yal Yurt',
    ),
    endings: words('acar alan ay baş bay ça can çı dağ demir er gül han kan kaya maz oğlu soy taş türk'),
    particles: [],
    particleShare: 0,
  },
};

export function makeName(country: Country, { people }: Rates, random: Random): PersonName {
  const from = lists[country];
  const [first, secondFirst] = [pickEarly(from.first, random), pickEarly(from.first, random)];
  const last = surname(from, people.commonSurname.value, random);
  const second = surname(from, people.commonSurname.value, random);
  const isDouble = country === 'es' || random() < people.doubleSurname.value;
  const hasParticle = from.particles.length > 0 && random() < from.particleShare;
  return {
    first,
    ...(random() < people.secondFirstName.value && { secondFirst }),
    ...(hasParticle && { particle: pick(from.particles, random) }),
    last,
    ...(isDouble && { secondLast: { name: second, hyphen: country !== 'es' } }),
    middleInitial: pick([...'abcdefghijklmnoprstw'], random),
    country,
  };
}

function surname({ last, stems, endings }: NameLists, common: number, random: Random): string {
  if (random() < common) {
    return pickEarly(last, random);
  }
  const [stem, ending] = [pick(stems, random), pick(endings, random)];
  return stem.charAt(0).toLocaleUpperCase('en') + stem.slice(1) + ending;
}

/** The full name as people write it. */
export function fullName({ first, secondFirst, particle, last, secondLast }: PersonName): string {
  const given = secondFirst === undefined ? first : `${first}-${secondFirst}`;
  const second = secondLast === undefined ? '' : `${secondLast.hyphen ? '-' : ' '}${secondLast.name}`;
  return [given, ...(particle === undefined ? [] : [particle]), `${last}${second}`].join(' ');
}

const nicknames: Readonly<Record<string, string>> = {
  Robert: 'Bob',
  William: 'Bill',
  Richard: 'Rick',
  Elizabeth: 'Liz',
  Jennifer: 'Jen',
  Michael: 'Mike',
  Thomas: 'Tom',
  Christopher: 'Chris',
  Johannes: 'Joop',
  Hendrik: 'Henk',
  Francisco: 'Paco',
  José: 'Pepe',
  Małgorzata: 'Gosia',
  Katarzyna: 'Kasia',
  Stefan: 'Steffen',
};

/** Another form of the name: a nickname, one of two names, or the name before a marriage. */
export function otherForm(name: PersonName, rates: Rates, random: Random): PersonName {
  const { secondFirst: _first, secondLast: _last, ...single } = name;
  const nickname = nicknames[name.first];
  if (name.secondLast !== undefined || name.secondFirst !== undefined) {
    return single;
  }
  return nickname === undefined
    ? { ...name, last: makeName(name.country, rates, random).last }
    : { ...name, first: nickname };
}

/** The local part of a name, or undefined if nothing of the name can be written in ASCII. */
export function localPartOf(name: PersonName, pattern: Pattern, rules: NameRules): string {
  const fold = (text: string) => folded(text, rules.umlautWithE && name.country === 'de');
  const first = fold(name.secondFirst === undefined ? name.first : `${name.first}-${name.secondFirst}`);
  const particle =
    rules.particleKept && name.particle !== undefined ? fold(name.particle).replaceAll(' ', '') : '';
  const second = rules.doubleSurnameWhole && name.secondLast !== undefined ? name.secondLast : undefined;
  const last = `${particle}${fold(name.last)}${second === undefined ? '' : `${second.hyphen ? '-' : ''}${fold(second.name)}`}`;
  const [f, l] = [first.charAt(0), last.charAt(0)];
  const made: Readonly<Record<Pattern, string>> = {
    first,
    'first.last': `${first}.${last}`,
    flast: `${f}${last}`,
    'f.last': `${f}.${last}`,
    last,
    firstlast: `${first}${last}`,
    'first.l': `${first}.${l}`,
    firstl: `${first}${l}`,
    first_last: `${first}_${last}`,
    'last.first': `${last}.${first}`,
  };
  return made[pattern];
}

const letters: Readonly<Record<string, string>> = {
  ß: 'ss',
  ł: 'l',
  ø: 'o',
  æ: 'ae',
  œ: 'oe',
  ı: 'i',
  đ: 'd',
  ð: 'd',
  þ: 'th',
};

/** Lower case in ASCII. */
function folded(text: string, umlautWithE: boolean): string {
  const spelled = umlautWithE
    ? text.replaceAll(/[äöü]/giu, letter => `${letter.normalize('NFD').charAt(0)}e`)
    : text;
  return spelled
    .replaceAll('İ', 'I')
    .toLowerCase()
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[ßłøæœıđðþ]/gu, letter => letters[letter] ?? '')
    .replaceAll(/[^a-z -]/gu, '')
    .trim();
}
