import { atRcpt, type RealLine } from './real-line.ts';

const sisimaiTests = 'sisimai, tests of Sisimai::Reason (bounces of hosts)';
const sendgrid = 'SendGrid, table bounce_rule of the database drop_rules, on GitHub';
const aol = 'Bounce handlers that quote the code pages of AOL';
const exchange = 'Microsoft Learn, "DSNs and NDRs in Exchange Server", table of enhanced codes';
const grownClassifier =
  'BounceClassifier of a mailing program in PHP (interface IBounceClassifier), on GitHub';
const phrases = 'eNichers/node-bounce-handler, lib/responses.js (the words alone; 550 is put before them)';

/** Lines from public sets of bounce rules and their tests: the half that was used to write the rules. */
export const ruleSetLines: readonly RealLine[] = [
  ...atRcpt(sisimaiTests, undefined, {
    policy: [
      '550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.135#rcp Refused due to recipient preferences',
    ],
  }),
  ...atRcpt(sendgrid, undefined, {
    policy: ['521 5.2.1 :  AOL will not accept delivery of this message.'],
  }),
  ...atRcpt(aol, undefined, {
    blocked: ['554-:  (HVU:B1)  http://postmaster.info.aol.com/errors/554hvub1.html\n554 TRANSACTION FAILED'],
  }),
  ...atRcpt(grownClassifier, undefined, {
    missing: [
      '550 No such email address',
      '550 "Error 60: No mailbox',
      '550 <nobody@ordinary.example>: invalid address',
      '554 no valid recipients, bye',
      '550 5.7.1 Message rejected (no valid recipients)',
      '521 No Redirect Entry for this address',
      '550 <nobody@ordinary.example>, destin. sconosciuto',
      '550 Questo indirizzo non esiste',
      '550 5.1.1 mx4 Siamo spiacenti, non esiste nessun utente con questo nome',
    ],
    disabled: [
      '554 Mailaddress is administratively disabled',
      '550 former@ordinary.example Account blocked due to inactivity',
      '550 Mailbox is blocked due to long-time inactivity',
      '550 former@ordinary.example mail receiving disabled',
      '552 former@ordinary.example mail receiving disabled, rejecting',
      "540 5.7.1 <former@ordinary.example>: Recipient address rejected: Your emails has been returned because the intented recipient's email account has been suspended",
      '550-5.2.1 The email account that you tried to reach is disabled',
      '554 5.7.1 User former@ordinary.example should log in to enable receiving the mail',
    ],
    refused: [
      '554 <ada@ordinary.example>: Messaggio rifiutato dal sistema. Indirizzo destinatario sconosciuto o non abilitato alla ricezione di posta non certificata',
    ],
  }),
  ...atRcpt("Plesk's answer for unknown users, as qmail's bouncesaying passes it on", undefined, {
    disabled: ['550 This address no longer accepts mail.'],
  }),
  ...atRcpt('KumoMTA, assets/community/bounces.toml', undefined, {
    missing: [
      '585 5.7.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: No such user here',
      '554 5.7.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address',
      '550 Sorry, no mailbox',
    ],
  }),
  ...atRcpt(phrases, undefined, {
    missing: [
      '550 Nie ma takiego konta',
      '550 Bad destination email address',
      "550 Server doesn't handle mail for that user",
      '550 Destinatario errato',
      '550 ADDRESS_NOT_FOUND',
      '550 Unable to find alias user',
    ],
    disabled: [
      '550 Esta casilla ha expirado por falta de uso',
      '550 El usuario esta en estado: inactivo',
      "550 Questo indirizzo e' bloccato per inutilizzo",
      '550 Podane konto jest zablokowane administracyjnie lub nieaktywne',
    ],
  }),
  ...atRcpt('Mail::DeliveryStatus::BounceParser, t/various-unknown.t', undefined, {
    missing: [
      '550 ** No mail box available for this user **',
      '550 BAD_RECIPIENT - see http://www.mail.ordinary.example/undelivered.php?r=BAD_RECIPIENT',
      '550 5.7.1 No mailbox found',
    ],
  }),
  ...atRcpt('sisimai, lib/Sisimai/Reason/UserUnknown.pm (550 and 553 are put before the words)', undefined, {
    missing: [
      '553 this recipient is in my badrecipientto list',
      '550 user missing home directory',
      '550 no nobody in name directory',
    ],
  }),
  ...atRcpt('Bounce rules of a mailing program in PHP (550 is put before the words)', undefined, {
    missing: [
      "550 this address isn't in my list of allowed recipients",
      '550 not known at this site',
      '550 Mailbox and mailboxaccount do not exist',
    ],
    disabled: [
      "550 User hasn't entered during last 180 days",
      "550 User 'former' has mail disabled.",
      '550 recipient never logged onto',
      '550 inactive on this domain',
    ],
    refused: ['550 sorry, this mailbox is currently disabled, try again'],
  }),
  ...atRcpt('Bouncefetch, its standard rules (550 is put before the words)', undefined, {
    missing: [
      '550 nobody@ordinary.example is not one of our own addresses or at least syntactically incorrect.',
      '550 Niemand unter dieser Adresse bekannt',
      '550 No recipients for yor mail here',
      '550 Unknown mail address',
      '550 Unknown local_part nobody in <nobody@ordinary.example>',
      "550 The email address you entered couldn't be found",
    ],
    refused: ['550 Mailbox is blocked'],
  }),
  ...atRcpt('CiviCRM, table of bounce patterns (550 is put before the words)', undefined, {
    missing: [
      '550 no e-mail address registered',
      '550 not found in directory',
      '550 Unrecognized recipient',
      '550 Unregistered address',
      "550 Non sono riuscito a trovare l'indirizzo e-mail",
      '550 nadie con esta dirección',
    ],
    disabled: ['550 no longer accepting mail', '550 no longer using this account'],
    policy: ['550 delivery to this user is not allowed'],
  }),
  ...atRcpt("Icoremail's help, titles of bounces (550 is put before the words)", undefined, {
    missing: ['550 not user of this server', "550 local server don't exists that user"],
    refused: ['550 This account has been temporarily suspended'],
  }),
  ...atRcpt('AcyMailing, bounce rules', undefined, { missing: ['551 not our user'] }),
  ...atRcpt(sisimaiTests, undefined, {
    missing: ['550 5.1.1 <nobody@comcast.net> recipient mailbox unallocated'],
    disabled: ['550 5.0.0 Recipient suspend the service'],
    policy: ['550 5.2.1 Host Unknown'],
    refused: ['550 The domain ordinary.example is currently suspended. Try later.'],
  }),
  ...atRcpt('postalsys/bounce-classifier, tests and labels', undefined, {
    missing: ['550 Usuario desconocido', '550 Unbekannter Benutzer'],
  }),
  ...atRcpt(sendgrid, undefined, {
    missing: ['554 user no found', '550 5.7.1 unknown or illegal user: nobody@ordinary.example'],
  }),
  ...atRcpt(grownClassifier, undefined, {
    missing: [
      '550 Recipient Rejected: No account by that name here',
      '550 Podane konto nie istnieje / No mailbox here by that name',
    ],
  }),
  ...atRcpt('sisimai, reason/why-userunknown.go and its tests', undefined, {
    missing: ['550 <nobody@ordinary.example> not found'],
  }),
  ...atRcpt("Icoremail's help, titles of bounces (550 is put before the words)", undefined, {
    missing: ['550 recipient does not have an account'],
  }),
  ...atRcpt('Lethe Newsletter, rules for bounces with their samples', undefined, {
    missing: ["550 local: Sorry, can't find user's mailbox. (#5.1.1)"],
  }),
  ...atRcpt('PowerMTA, bounce-category-patterns of its default configuration', undefined, {
    missing: ['550 mail drop not found'],
  }),
  ...atRcpt('linux-kernel mail, a bounce of melfas.com', undefined, {
    missing: ['550 sorry, your recipient address is not in my local list'],
  }),
  ...atRcpt('An open verifier of addresses, tests of its classifier', undefined, {
    missing: ['550 El buzón no existe', '550 El usuario no tiene una cuenta en este servidor'],
    disabled: ['550 Cuenta suspendida'],
  }),
  ...atRcpt(exchange, undefined, { policy: ['550 5.2.1 Content Filter agent quarantined this message'] }),
];
