import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { isParked, kindOfAnswer, kindOfPage } from '../../domain/catch-all/site/page.ts';
import {
  printedAddresses,
  printedKey,
  printedMax,
  statedAddresses,
} from '../../domain/catch-all/site/printed-addresses.ts';
import { pageReader, parsePage as parse } from './page-reader.ts';

function parsePage(html: string) {
  const page = parse(html);
  if (page === undefined) {
    throw new Error('The page is nested too deeply.');
  }
  return page;
}

/** CPU time for half a megabyte. Most pages need a tenth of a second; reading in quadratic time took 13 s and more. */
const readingMicrosecondsMax = 5_000_000;

const domain = { ascii: 'firma.example', unicode: 'firma.example' };

function printedBy(html: string): string[] {
  return [...new Set(printedAddresses(parsePage(html), domain).map(printedKey))].sort();
}

function statedBy(data: unknown): string[] {
  const html = `<script type="application/ld+json">${JSON.stringify(data)}</script>`;
  return statedAddresses(parsePage(html).jsonLd, domain)
    .map(({ email }) => printedKey(email))
    .sort();
}

/** Cloudflare's encoding, by which its customers' pages are served. */
function cloudflare(address: string, key = 0x5a): string {
  return Buffer.from([key, ...Buffer.from(address).map(octet => octet ^ key)]).toString('hex');
}

describe('a printed address', () => {
  test.each([
    ['in text', '<p>Mail: ada@firma.example.</p>'],
    ['in upper case', '<p>Ada@FIRMA.example</p>'],
    ['in a link', '<a href="mailto:ada@firma.example?subject=Hi">Write</a>'],
    ['in a link, escaped', '<a href="mailto:ada%40firma.example">Write</a>'],
    ['among several recipients', '<a href="mailto:bob@other.example,ada@firma.example">Write</a>'],
    ['with entities', '<p>&#97;da&#64;firma&#46;example</p>'],
    ['across elements', '<p>ada<b>@</b><span>firma</span>.example</p>'],
    ['with words in brackets', '<p>ada [at] firma [dot] example</p>'],
    ['with words in parentheses', '<p>ada(at)firma.example</p>'],
    ['in German', '<p>ada (ät) firma (punkt) example</p>'],
    ['in words', '<p>ada at firma dot example</p>'],
    ['in French', '<p>ada [arobase] firma [point] example</p>'],
    ['in Italian', '<p>ada (chiocciola) firma (punto) example</p>'],
    ['in Polish', '<p>ada (małpa) firma (kropka) example</p>'],
    ['in Czech', '<p>ada (zavináč) firma (tečka) example</p>'],
    ['with a spaced sign in brackets', '<p>ada [ @ ] firma.example</p>'],
    ['with a wide sign', '<p>ada＠firma.example</p>'],
    ['with spaces after a label', '<p>E-Mail: ada @ firma.example</p>'],
    ['among recipients with semicolons', '<a href="mailto:bob@other.example;ada@firma.example">Write</a>'],
    [
      'with Cloudflare’s encoding',
      `<a class="__cf_email__" data-cfemail="${cloudflare('ada@firma.example')}">[email protected]</a>`,
    ],
    [
      'with Cloudflare’s link',
      `<a href="/cdn-cgi/l/email-protection#${cloudflare('ada@firma.example')}">Mail</a>`,
    ],
    [
      'backward, turned by a style',
      '<b style="unicode-bidi:bidi-override; direction: rtl">elpmaxe.amrif@ada</b>',
    ],
    ['around a hidden decoy', '<p>ada<i style="display:none">nospam</i>@firma.example</p>'],
    ['with a place to break the line', '<p>a<wbr>da@<wbr>firma.example</p>'],
    ['after another element', '<p><b>Mail:</b><b>ada@firma.example</b></p>'],
    ['with a letter in parentheses', '<p>ada(a)firma.example</p>'],
    ['in microdata', '<meta itemprop="email" content="ada@firma.example">'],
    [
      'in a box with a size',
      '<p style="max-width: 0.5em; min-width: 0; line-height: 0; background-color: transparent">ada@firma.example</p>',
    ],
    ['in a link with slashes', '<a href="mailto://ada@firma.example">Write</a>'],
    ['in a link with a name', '<a href="mailto:Ada%20Lovelace%20%3Cada@firma.example%3E">Write</a>'],
    [
      'in an element of a class that only a print style hides',
      '<style>@media print { .menu { color: red } .contact { display: none } }</style><p class="contact">ada@firma.example</p>',
    ],
    [
      'in an element of a class that a style sheet for print hides',
      '<style media="print">.contact { display: none }</style><p class="contact">ada@firma.example</p>',
    ],
    [
      'in an element that is hidden on small screens alone',
      '<style media="screen and (max-width: 600px)">.contact { display: none }</style><p class="contact">ada@firma.example</p>',
    ],
    [
      'in an element that a margin centers',
      '<p style="position: absolute; left: 50%; margin-left: -480px">ada@firma.example</p>',
    ],
    [
      'in an element that a framework hides on small screens alone',
      '<p class="d-none d-md-block">ada@firma.example</p>',
    ],
    [
      'in an element that a framework hides on some screens alone',
      '<p class="hidden md:flex">ada@firma.example</p>',
    ],
    ...[
      'd-none d-lg-inline-block',
      'hidden lg:inline-flex',
      'invisible 2xl:visible',
      'd-none d-xxl-table-cell',
    ].map((classes): [string, string] => [
      `in an element of classes that show it on some screens: ${classes}`,
      `<p class="${classes}">ada@firma.example</p>`,
    ]),
    [
      'in an element of which a style hides another part',
      '<style>.contact .more, .contact:empty { display: none } .x { margin: 0 }</style><p class="contact x">ada@firma.example</p>',
    ],
  ])('is read %s', (_, html) => {
    expect(printedBy(html)).toEqual(['ada@firma.example']);
  });

  test('is read after thousands of other links', () => {
    const links = '<a href="/x">x</a>'.repeat(3_000);
    expect(printedBy(`${links}<a href="mailto:ada@firma.example">Write</a>`)).toEqual(['ada@firma.example']);
  });

  test('is read up to one more than says that they prove nothing', () => {
    const addresses = Array.from(
      { length: 1_000 },
      (_, at) => `Ada${at}@firma.example ada${at}@firma.example`,
    );
    expect(printedBy(`<p>name@firma.example ${addresses.join(' ')}</p>`)).toHaveLength(printedMax + 1);
  });

  test('has a dot in words too', () => {
    expect(printedBy('<p>ada [dot] lovelace [at] firma [dot] example</p>')).toEqual([
      'ada.lovelace@firma.example',
    ]);
  });

  test('has spaces around the sign if a dot shows that it is one', () => {
    expect(printedBy('<p>ada.lovelace @ firma.example</p>')).toEqual(['ada.lovelace@firma.example']);
  });

  test('is read whole if its letters are decomposed', () => {
    expect(printedBy('<p>mu\u0308ller@firma.example q\u0308x@firma.example</p>')).toEqual([
      'müller@firma.example',
      'q\u0308x@firma.example',
    ]);
  });

  test('is read without characters that only help to break lines', () => {
    expect(printedBy('<p>christina.\u00admueller@fir\u200bma.example</p>')).toEqual([
      'christina.mueller@firma.example',
    ]);
  });

  test.each([
    "'ada@firma.example'",
    '‘ada@firma.example’',
    'mail:ada@firma.example',
    'Phone|ada@firma.example',
  ])('is read from %s', text => {
    expect(printedBy(`<p>${text}</p>`)).toEqual(['ada@firma.example']);
  });

  test('is read from a domain with letters beyond ASCII, in both spellings', () => {
    const own = { ascii: 'xn--mller-kva.example', unicode: 'müller.example' };
    const html = '<p>ada@müller.example</p><p>bob@xn--mller-kva.example</p>';
    expect(printedAddresses(parsePage(html), own).map(printedKey)).toEqual([
      'ada@xn--mller-kva.example',
      'bob@xn--mller-kva.example',
    ]);
  });

  test.each([
    [
      'another domain',
      '<p>ada@other.example ada@firma.example.org ada@sub.firma.example ada@notfirma.example</p>',
    ],
    ['a comment', '<!-- ada@firma.example --><p>Hello</p>'],
    ['a script', '<script>const mail = "ada@firma.example"</script>'],
    [
      'a style, a template, a form',
      '<style>/* ada@firma.example */</style><template>ada@firma.example</template><textarea>ada@firma.example</textarea>',
    ],
    ['code', '<pre><code>mail ada@firma.example</code></pre>'],
    ['a placeholder of a form', '<input placeholder="ada@firma.example" value="ada@firma.example">'],
    ['an image’s text', '<img alt="ada@firma.example" src="x.png">'],
    [
      'a hidden trap for programs',
      '<a hidden href="mailto:ada@firma.example">x</a><p style="visibility: hidden">ada@firma.example</p>',
    ],
    [
      'comments of visitors',
      '<ol class="comment-list"><li class="comment">ada@firma.example <a href="mailto:ada@firma.example">x</a></li></ol>',
    ],
    ['a guestbook', '<section id="guestbook"><p>ada@firma.example</p></section>'],
    ['reviews', '<div itemscope itemtype="https://schema.org/Review">ada@firma.example</div>'],
    ['an example', '<p>Enter your address, e.g. ada@firma.example</p>'],
    ['a German example', '<p>zum Beispiel: ada@firma.example</p>'],
    ['the end of a name with an apostrophe', "<p>Sean: o'brien@firma.example, o’brien@firma.example</p>"],
    ['the end of a name with an ampersand', '<p>r&amp;d@firma.example</p>'],
    ['two elements that styles show apart', '<p><span>Tel. 123</span><span>ada@firma.example</span></p>'],
    ['a decoy that a class hides', '<p>ada<i class="x1">nospam</i>@firma.example</p>'],
    ['the items of a sentence', '<p>“Site” means (a) firma.example and ( a ) firma.example</p>'],
    ['a sentence about the site', '<p>Write to us at firma.example, find us @ firma.example</p>'],
    [
      'a spelled-out sentence about the site',
      '<p>Find us at firma dot example, look at firma dot example</p>',
    ],
    ['text that is struck out', '<p><s>ada@firma.example</s> <del>ada@firma.example</del></p>'],
    ['text that a style strikes out', '<b style="text-decoration: line-through">ada@firma.example</b>'],
    ['text without a size', '<p style="height: 0; overflow: hidden">ada@firma.example</p>'],
    ['transparent text', '<p style="color:transparent">ada@firma.example</p>'],
    ['text outside the page', '<p style="position: absolute; left: -9999px">ada@firma.example</p>'],
    [
      'an element that a class hides',
      '<style>/* x */ .a, p.trap { display: none; }</style><p class="big trap">ada@firma.example</p>',
    ],
    [
      'an element of a class that the style sheet puts outside the page',
      '<style>.far { position: absolute; left: -9999px }</style><p class="far">ada@firma.example</p>',
    ],
    ['an element of a class by which frameworks hide', '<p class="trap d-none">ada@firma.example</p>'],
    [
      'an element of a class that the style sheet puts many letters outside the page',
      '<style>.far { position: absolute; left: -999em }</style><p class="far">ada@firma.example</p>',
    ],
    ...[
      'hidden print:block',
      'd-none d-print-block',
      'hidden group-hover:block',
      'hide wp-block',
      'hidden text-block',
      'hidden menu-visible',
      'd-none d-md-blocked',
    ].map((classes): [string, string] => [
      `an element of classes that show it on no screen: ${classes}`,
      `<p class="${classes}">ada@firma.example</p>`,
    ]),
    ['an element that its id hides', '<style>#t{display:none}</style><p id="t">ada@firma.example</p>'],
    ['a former address', '<p>Our old address: ada@firma.example. Früher ada@firma.example</p>'],
    ['an address that is out of use', '<p>ada@firma.example is no longer in use.</p>'],
    ['a German address that is out of use', '<p>ada@firma.example gibt es nicht mehr.</p>'],
    [
      'a title in marketing',
      '<p>Head of E-Mail Marketing @ firma.example, Head of E-Mail @ firma.example</p>',
    ],
    ['a name after a word like a label', '<p>Send Mail Ada @ firma.example, E-Mail ada @ firma.example</p>'],
    ['a title at the company', '<p>Partner @ firma.example, Co-Founder @ firma.example</p>'],
    ['a warning of fraud', '<p>Criminals send mail from ada@firma.example</p>'],
    ['a German warning of fraud', '<p>Gefälschte Rechnungen von ada@firma.example</p>'],
    ['a false address', '<p>Ignore ada@firma.example. This address is fake.</p>'],
    ['an address that does not exist', '<p>ada@firma.example does not exist.</p>'],
    ['a warning of a trap', '<p>Do not write to this address, it is a trap: ada@firma.example</p>'],
    ['a German warning of a trap', '<p>Bitte nie an ada@firma.example schreiben</p>'],
    ['a URL with a user', '<p>ftp://ada:pw@firma.example/ https://x.example/?to=ada@firma.example</p>'],
    ['a repository', '<p>git clone ada@firma.example:project.git</p>'],
    ['a number that runs into it', '<p>Tel. 030/123456ada@firma.example</p>'],
    ['a page in another charset than it says', '<p>\uFFFDada@firma.example</p>'],
  ])('is not read from %s', (_, html) => {
    expect(printedBy(html)).toEqual([]);
  });

  test.each([
    'Report fraud to ada@firma.example',
    'If you do not get an answer, write to ada@firma.example',
    'Write to ada@firma.example. We no longer use fax.',
    'Mail from our shop: ada@firma.example',
  ])('is read from a sentence like a warning: %s', text => {
    expect(printedBy(`<p>${text}</p>`)).toEqual(['ada@firma.example']);
  });

  test.each([
    'name',
    'your.name',
    'yourname',
    'ihr.name',
    'vorname.nachname',
    'firstname.lastname',
    'first.last',
    'max.mustermann',
    'erika.mustermann',
    'john.doe',
    'jane.doe',
    'example',
    'user',
    'test',
    'xxx',
    'noreply',
    'no-reply',
    'do-not-reply',
    'donotreply',
    'noreply-orders',
    'mailer-daemon',
    'jane.smith',
    'imie.nazwisko',
    'nazwisko.imie',
    'imie',
    'förnamn.efternamn',
    'jméno.příjmení',
    'ad.soyad',
    'nome.sobrenome',
    'name.surname',
    'prénom.nom',
    'nom.prenom',
    'lastname.firstname',
    'cognome.nome',
    'last.first',
    'fname.lname',
    'petra.muster',
    'my.name',
    'ada.nospam',
    'adaREMOVETHIS',
    'spamtrap',
    '%email%',
    '{ada}',
    '$ada',
  ])('is none for a placeholder or an unread mailbox: %s', localPart => {
    expect(printedBy(`<p>${localPart}@firma.example</p>`)).toEqual([]);
  });

  test.each([
    'info',
    'max.muller',
    'maria',
    'mail',
    'kontakt',
    'j.smith',
    'anna.tester-huber',
    'noreen',
    'jaimie',
  ])('is one for a name that is like a placeholder: %s', localPart => {
    expect(printedBy(`<p>${localPart}@firma.example</p>`)).toEqual([`${localPart}@firma.example`]);
  });
});

describe('stated data', () => {
  test('has addresses at any nesting', () => {
    expect(
      statedBy({
        '@graph': [
          { '@type': 'Organization', email: 'mailto:info@firma.example' },
          { '@type': 'Person', worksFor: { contactPoint: [{ email: 'ada@firma.example' }] } },
        ],
      }),
    ).toEqual(['ada@firma.example', 'info@firma.example']);
  });

  test('of visitors, of placeholders and of other domains does not count', () => {
    expect(
      statedBy([
        { '@type': 'Comment', author: { email: 'ada@firma.example' } },
        { '@type': 'https://schema.org/UserReview', email: 'ada@firma.example' },
        { '@type': 'Organization', email: ['your.name@firma.example', 'ada@other.example'] },
      ]),
    ).toEqual([]);
  });

  test('says whether it is a person’s, at any nesting', () => {
    const data = [
      {
        '@type': 'Organization',
        email: 'info@firma.example',
        contactPoint: { email: 'sales@firma.example' },
      },
      { '@type': 'https://schema.org/Person', email: 'ada@firma.example' },
      { author: { '@type': ['Person'], contactPoint: { email: 'grace@firma.example' } } },
    ];
    const persons = statedAddresses(data, domain).filter(({ isPersons }) => isPersons);
    expect(persons.map(({ email }) => printedKey(email)).sort()).toEqual([
      'ada@firma.example',
      'grace@firma.example',
    ]);
  });

  test('in a part that visitors write does not count', () => {
    const script = '<script type="application/ld+json">{"email":"ada@firma.example"}</script>';
    expect(parsePage(`<div class="comments">${script}</div>`).jsonLd).toEqual([]);
    expect(parsePage(script).jsonLd).toHaveLength(1);
  });

  test.each([
    ['values', '[1,1,', '1,'],
    ['addresses', '{"email":["ada@firma.example",', '"a",'],
  ])('of half a megabyte of %s ends', (_, begin, repeated) => {
    const end = begin.startsWith('{') ? '1]}' : '1]';
    const data = begin + repeated.repeat(Math.floor(260_000 / repeated.length)) + end;
    expect(() => statedBy(JSON.parse(data))).not.toThrow();
  });

  test('that is deep, long or broken ends', () => {
    let deep: unknown = { email: 'ada@firma.example' };
    for (let depth = 0; depth < 1_000; depth += 1) deep = { next: deep };
    expect(statedBy(deep)).toEqual([]);
    expect(parsePage('<script type="application/ld+json">{"email":</script>').jsonLd).toEqual([]);
  });
});

describe('a link', () => {
  test.each([
    ['/contact', '', 'contact'],
    ['/en/contact-us.html', '', 'contact'],
    ['/kontakt/', '', 'contact'],
    ['/nous-contacter', '', 'contact'],
    ['/p/17', 'Contáctanos', 'contact'],
    ['/p/18', 'Контакты', 'contact'],
    ['/index.php?id=4', 'Impressum', 'imprint'],
    ['/mentions-legales', '', 'imprint'],
    ['/%C3%BCber-uns', '', 'about'],
    ['/x', 'Équipe', 'team'],
    ['/presse', '', 'press'],
    ['/contact-2', '', 'contact'],
    ['/contact/index.html', '', 'contact'],
    ['/kontakt-und-anfahrt', '', 'contact'],
    ['/x', 'Anfahrt & Kontakt', 'contact'],
    ['/x', 'Kontaktformular', 'contact'],
    ['/x', 'Get in touch with us', 'contact'],
    ['/x', 'Impressum / Datenschutz', 'imprint'],
    ['/x', 'Ihre Ansprechpartner', 'team'],
    ['/team', 'Team & Kontakt', 'team'],
    ['/x', 'Kontakt & Team', 'team'],
    ['/team', 'Kontakt', 'team'],
    ['/presse', 'Presse & Kontakt', 'press'],
    ['/about', 'Über uns & Kontakt', 'about'],
    ['/x', 'Kontakt / Über uns', 'about'],
    ['/x', 'Ansprechpartner & Kontakt', 'team'],
    ['/x', 'Kontakt & Ansprechpartner', 'team'],
    ['/x', 'Kontakt & Impressum', 'imprint'],
    ['/contact', 'Impressum & Kontakt', 'imprint'],
    ['/mitarbeiter/max', 'Kontakt Max Mustermann', undefined],
    ['/x', 'Kontakt zu Ehemaligen', undefined],
    ['/contact-lenses', '', undefined],
    ['/x', 'Warum Sie mit Kunden in Kontakt bleiben und Kontakt halten', undefined],
    ['/kontakt-zu-alten-kunden-halten', '', undefined],
    ['/index.html', '', undefined],
    ['/shop', 'Shop', undefined],
    ['/forum/contact', '', undefined],
    ['/guestbook', 'Contact', undefined],
    ['/contact?to=ada@firma.example', 'Contact', undefined],
    ['/contact?to=ada%40firma.example', 'Contact', undefined],
    ['/index.php?topic=17.0', 'Contact', undefined],
    ['/?page=guestbook', 'Contact', undefined],
    ['/~eve/contact.html', '', undefined],
    ['/profiles/eve/contact', '', undefined],
    [`/${'a'.repeat(300)}/contact`, '', undefined],
  ])('to %s named %j is %s', (path, words, kind) => {
    expect(kindOfPage(path, words)).toBe(kind);
  });
});

describe('a redirect', () => {
  test.each([
    ['contact', '/contact', '/contact/', 'contact'],
    ['contact', '/contact', '/de/kontakt', 'contact'],
    ['contact', '/contact', '/p/17', 'contact'],
    ['contact', '/contact', '/', 'home'],
    ['contact', '/contact', '/en/', 'home'],
    ['contact', '/contact', '/index.php', 'home'],
    ['contact', '/contact', '/our-team', 'team'],
    ['team', '/team', '/contact', 'team'],
    ['contact', '/contact', '/blog', undefined],
    ['contact', '/contact', '/forum/17', undefined],
    ['contact', '/contact', '/contact?to=ada@firma.example', undefined],
  ] as const)('from a page of kind %s at %s to %s leads to %s', (kind, from, to, answers) => {
    expect(kindOfAnswer(kind, from, to)).toBe(answers);
  });
});

describe('a page', () => {
  const html = (body: string, headers: Record<string, string> = {}) =>
    pageReader.page({
      kind: 'response',
      status: 200,
      headers: { 'content-type': 'text/html; charset=utf-8', ...headers },
      body: Buffer.from(body),
    });

  test('is read in its charset', () => {
    const page = pageReader.page({
      kind: 'response',
      status: 200,
      headers: { 'content-type': 'text/html; charset=ISO-8859-1' },
      body: Buffer.from('<p>Gr\u00fc\u00dfe</p>', 'latin1'),
    });
    expect(page).toMatchObject({ text: 'Grüße' });
  });

  test.each([
    ['that it names', '<meta charset="iso-8859-2"><p>Łódź</p>', 'Łódź'],
    ['of an older form', '<meta http-equiv="x" content="text/html; charset=ISO-8859-2"><p>Łódź</p>', 'Łódź'],
    ['of Windows if it names none', '<p>GrüßeŁód\u009f</p>', 'Grüße£ódŸ'],
  ])('is read in the charset %s', (_, body, text) => {
    const octets = Buffer.from(body.replaceAll('Ł', '\u00a3').replaceAll('ź', '\u00bc'), 'latin1');
    const headers = { 'content-type': 'text/html' };
    expect(pageReader.page({ kind: 'response', status: 200, headers, body: octets })).toMatchObject({
      text: expect.stringContaining(text),
    });
  });

  test.each([
    ['another type', { 'content-type': 'application/pdf' }],
    ['no type', { 'content-type': '' }],
    ['a compressed body', { 'content-encoding': 'gzip' }],
  ])('is not read with %s', (_, headers) => {
    expect(html('<p>ada@firma.example</p>', headers)).toBeUndefined();
  });

  test('that is a gzip bomb is never decompressed', () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000));
    const page = pageReader.page({
      kind: 'response',
      status: 200,
      headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
      body: bomb,
    });
    expect(page).toBeUndefined();
  });

  test.each([
    ['a header', html('<p>x</p>', { 'x-robots-tag': 'noindex' })],
    ['a header for us', html('<p>x</p>', { 'x-robots-tag': 'otherbot: none, mailproof: noindex' })],
    ['a meta element', html('<meta name="robots" content="noindex, follow">')],
    ['a meta element for us', html('<meta name="mailproof" content="none">')],
  ])('can ask to be left alone, with %s', (_, page) => {
    expect(page).toBe('forbidden');
  });

  test('for sale is no company’s page', () => {
    expect(isParked(parsePage('<h1>This domain is for sale!</h1>'))).toBe(true);
    expect(isParked(parsePage('<p>This <i>domain</i> is <b>for</b> sale</p>'))).toBe(true);
    expect(isParked(parsePage('<p>Diese Domain steht zum Verkauf</p>'))).toBe(true);
    expect(isParked(parsePage('<p>We sell cars and park them.</p>'))).toBe(false);
  });

  test.each([
    'Apache2 Ubuntu Default Page It works!',
    'Welcome to nginx!',
    'This Account has been suspended. Contact your hosting provider.',
    'If you are the owner of this website, please contact your hosting provider: webmaster@firma.example',
  ])('of a web host is no company’s page: %s', text => {
    expect(isParked(parsePage(`<p>${text}</p>`))).toBe(true);
  });

  test.each([
    ['words', 'a'.repeat(500_000)],
    ['short words', 'a '.repeat(250_000)],
    ['at signs', '@'.repeat(500_000)],
    ['half addresses', 'ada@firma.exampl '.repeat(30_000)],
    ['brackets', 'a [dot] '.repeat(60_000)],
    ['spaces', `a${' '.repeat(500_000)}`],
    ['nested elements', '<div>'.repeat(100_000)],
    ['elements within a line', `${'a<b></b>'.repeat(5_000)}${'a '.repeat(230_000)}`],
    ['turned elements', '<b style="unicode-bidi:bidi-override">x'.repeat(10_000)],
    ['styles', `<style>${'.a,'.repeat(160_000)}`],
    ['comments of styles', `<style>${'/*'.repeat(250_000)}`],
    [
      'rules of styles',
      `<style>${'.a{display:none}'.repeat(30_000)}</style>${'<b class=a>x</b>'.repeat(1_000)}`,
    ],
    ['a style of an element', `<b style="${'text-decoration:'.repeat(30_000)}">x</b>`],
    ['spaces in styles', `<style>.a${' '.repeat(250_000)}{display:none}</style>`],
    ['addresses', Array.from({ length: 25_000 }, (_, at) => `ada.l${at}@firma.example`).join(' ')],
    ['the same address', 'ada@firma.example '.repeat(28_000)],
    ['examples', 'e.g. ada@firma.example '.repeat(22_000)],
    ['schemes', ' http://a@firma.example'.repeat(20_000)],
  ])('of half a megabyte of %s is read in bounded time', (_, body) => {
    const startedAt = process.cpuUsage();
    const page = parse(body);
    if (page !== undefined) {
      printedAddresses(page, domain);
      isParked(page);
    }
    expect(process.cpuUsage(startedAt).user).toBeLessThan(readingMicrosecondsMax);
  });
});

describe('a sitemap', () => {
  test.each([
    ['nested elements', '<a>'.repeat(170_000)],
    ['nested elements that end in the wrong order', `${'<a>'.repeat(80_000)}${'</b>'.repeat(60_000)}`],
  ])('of half a megabyte of %s is read in bounded time', (_, body) => {
    const startedAt = process.cpuUsage();
    const headers = { 'content-type': 'text/xml' };
    expect(pageReader.sitemap({ kind: 'response', status: 200, headers, body: Buffer.from(body) })).toEqual(
      [],
    );
    expect(process.cpuUsage(startedAt).user).toBeLessThan(readingMicrosecondsMax);
  });

  test('has its locations', () => {
    const body =
      '<?xml version="1.0"?><urlset><url><loc> https://a.example/x?a=1&amp;b=2 </loc></url></urlset>';
    const response = { kind: 'response', status: 200, body: Buffer.from(body) } as const;
    expect(pageReader.sitemap({ ...response, headers: { 'content-type': 'application/xml' } })).toEqual([
      'https://a.example/x?a=1&b=2',
    ]);
    expect(pageReader.sitemap({ ...response, headers: { 'content-type': 'text/html' } })).toEqual([]);
  });
});
