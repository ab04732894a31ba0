import type { ReplyRule } from './reply-rule.ts';

/**
 * Sentences by their grammar: a word for the mailbox and a way to deny it. Hosts combine the two freely, so each rule
 * accepts all combinations. The sentence must end there, because the following words may give another reason or
 * subject, as in "no user for authentication".
 */
const mailbox =
  '(?:user ?names?|users?|recipients?|mail ?box(?:es)?|mbox|mail ?drop|accounts?|addressee|(?:e-?mail )?address|e-?mail|alias|local[- ]part)';
const name =
  '(?: ?[([]?<address>[)\\]]?| ["\'<]?(?!(?:domain|host|server|system|list|key|table|database|store|policy|profile|format|class|type|session|agent|password|credential|certificate|error|lookup|check|not)s?\\b)[\\w.+-]{1,64}["\'>]?)';
const location =
  '(?: (?:here|(?:on|at|in) (?:this|that|our) (?:server|system|site|host|domain)|in (?:the |our |my )?(?:directory|local list|local table|address book)))';
/** A code or the host's own tag may end the sentence. */
const end = `${location}?["'\\s.!)]*(?:[([]#?5\\.\\d\\.\\d{1,3}[\\s\\w-]{0,20}[)\\]]|- psmtp)?[\\s.]*$`;

function sentence(source: string): RegExp {
  return new RegExp(source.replaceAll('MAILBOX', mailbox).replaceAll('NAME', name).replaceAll('END', end));
}

/** No other subject may come between the subject and the denial. */
const within = '(?:(?!domin|dom[aä]i?n|dom[eé]n|server|serv[ei]|host|ptr|regist)[^.;:]){0,40}? ';

function noneOf(possessives: string): string {
  return `(?<!\\b(?:${possessives}) )\\b`;
}

/** Rules for sentences that missing-rules.ts does not cover. */
export const missingGrammar: readonly ReplyRule[] = [
  {
    // The echoed recipient as the subject.
    meaning: 'missing',
    text: sentence(
      '^(?:sorry,? )?(?:recipient (?:address )?rejected: )?["\']?<address>["\']?(?:\\.\\.\\.|[:,])? ?(?:is |was )?(?:unknown|invalid|not (?:known|found|here|valid|recogni[sz]ed|an? (?:existing|current) address|an? (?:local )?user|one of our users)|no longer (?:here|valid|exists|a valid address))END',
    ),
    samples: ['550 <nobody@ordinary.example> not found'],
  },
  {
    // "No such X", "X has none", "cannot find X", "unknown X" and "X unknown".
    meaning: 'missing',
    text: sentence(
      [
        '\\bno (?:(?:such|local|valid|known|matching|existing|virtual) ){0,2}(?:e-?mail )?MAILBOX(?:(?: (?:exists?|found|known))? (?:for|named|called)NAME| by (?:that|this) name| exists?| found)?END',
        "(?:\\b(?:do not|don'?t|does not|doesn'?t) have|\\b(?:have|has) no) (?:an? |any |that |this |such an? )?(?:local )?MAILBOX(?: (?:for|named|called)NAME| (?:by|with|of) (?:that|this) name)?END|\\b(?:nobody|no[- ]?one|none)(?: here)? by that name",
        "\\b(?:unable to|can(?:not|'?t| not)|could(?: not|n'?t)|failed to|did not) (?:find|locate) (?:an? |any |the |that |this |such an? )?(?:(?:local|recipient|user|destination)(?:'?s)? )?MAILBOX(?:(?: for| named| called)?NAME)?END|\\bno (?:match|entry|matches)(?: found)? for <address>END",
        '\\b(?:unknown|undefined|unidentified|unlisted|non-?existent|inexistent|bad|invalid|illegal) (?:(?:local|final|virtual|domain|destination|recipient|delivery) )?MAILBOX(?::?NAME)?END|\\bwrong (?:recipients?|mailbox|user(?: ?name)?)END|\\bMAILBOXNAME?,?(?: (?:is|was|are|were))? (?:unknown|undefined|unlisted|missing|not (?:here|known|found|on file|registered|in use|existing|an? (?:known|existing|valid|current) (?:one|user|mailbox|address))|non-?existent|inexistent)END',
      ].join('|'),
    ),
    samples: [
      '550 mail drop not found',
      "550 local: Sorry, can't find user's mailbox. (#5.1.1)",
      '550 recipient does not have an account',
      '550 Recipient Rejected: No account by that name here',
    ],
  },
  {
    // Hosts that keep a list of recipients.
    meaning: 'missing',
    text: /\b(?:recipient|user|address|mailbox|<address>) (?:address )?(?:is |was )?not (?:in|on) (?:my |our |the |this |local )(?:(?:local|recipient|user|valid) )*(?:list|table|database|file)\b|\bnot (?:an? )?(?:(?:known|valid|existing|local|current|registered) )?(?:user|mailbox|recipient|customer) (?:here|of ours|(?:on|at|in|of) (?:this|our) (?:server|system|site|host|domain))|\bnot one of our (?:own )?(?:users|customers|mailboxes|recipients)\b/,
    samples: ['550 sorry, your recipient address is not in my local list'],
  },
  {
    // The same grammar in other languages. Aruba's "sconosciuto o non abilitato" also turns known ones away from
    // ordinary mail.
    meaning: 'missing',
    text: new RegExp(
      [
        // Spanish, Portuguese and Italian share many words.
        `${noneOf('su|tu|sua|tua|suo|tuo')}(?:usu[aá]ri[oa]|utente|bu[zç][oó]n|casilla|casella|cuenta|conta|caixa postal|destin(?:at[aá]ri[oa]|\\.)|direcci[oó]n|endere[cç]o|indirizzo)${within}(?:n(?:o|[aã]o|on) exist|non esiste|in[e]?[sx]istente|descono[c]id[oa]|desconhecid[oa]|sconosciut[oa]\\b(?! o non abilitat)|errato|n(?:o|[aã]o) encontrad[oa]|non trovat[oa]|no tiene (?:una )?cuenta)`,
        "no existe (?:dicha persona|ese usuario)|nessun utente simile|non esiste nessun utente|riuscito a trovare l'indirizzo|nadie con esta direcci",
        `${noneOf('votre|ton')}(?:utilisateur|destinataire|bo[iî]te(?: aux lettres)?|adresse|compte)${within}(?:inconnue?\\b|inexistante?\\b|n'existe pas|introuvable)`,
        `${noneOf('ihre?|deine?')}(?:benutzer|nutzer|empf(?:ä|ae)nger|adressat|postfach|mailbox|konto|adresse)${within}(?:unbekannt|nicht bekannt|existiert nicht|nicht gefunden|nicht vorhanden|konnte nicht gefunden werden)`,
        'unbekannter (?:benutzer|nutzer|empf(?:ä|ae)nger|adressat)|niemand unter dieser adresse bekannt',
        `${noneOf('uw|je|jouw')}(?:gebruiker|mailbox|postvak|(?:e-?mail)?adres|geadresseerde|ontvanger)${within}(?:onbekend|bestaat niet|niet gevonden)`,
        `(?:konto|u[zż]ytkownik|adres(?:at)?|skrzynka|odbiorca)${within}(?:nie istnieje|nieznan[yea])|nie ma takiego (?:konta|u[zż]ytkownika|adresu|odbiorcy)`,
        '^nie istnieje$',
        `(?:u[zž]ivatel|adres[aá]t|schr[aá]nka|p[rř][ií]jemce)${within}(?:neexistuje|nezn[aá]m|nenalezen)`,
      ].join('|'),
    ),
    except:
      /metteur\b|\b(?:ip|auth?ent\w*|emisora?|emissora?|remitente|remetente|mittente|exp[eé]diteur|absender|afzender|nadawc\w+|odes[ií]latel|ptr|dns|spf|(?:dominio|dom[ií]nio|domaine|dom(?:ä|ae)ne|domein|domena|dom[eé]na) (?:no|n[aã]o|non|n'|nicht|niet|nie|ne|inexistente|inesistente|inconnu|unbekannt|onbekend)\w*)\b/,
    samples: [
      '550 Utilisateur inconnu',
      '550 Nessun utente simile in questo indirizzo',
      '550 No existe dicha persona',
      '550 <nobody@ordinary.example>, destin. sconosciuto',
      '550 Questo indirizzo non esiste',
      '550 Nie ma takiego konta',
      '550 Usuario desconocido',
      '550 Unbekannter Benutzer',
      '550 El buzón no existe',
      '550 El usuario no tiene una cuenta en este servidor',
      '550 Podane konto nie istnieje / No mailbox here by that name',
    ],
  },
];
