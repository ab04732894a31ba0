import { atRcpt, type RealLine } from './real-line.ts';

const sisimaiTests = 'sisimai, tests of Sisimai::SMTP::Status (bounces of hosts)';
const sendgrid = "SendGrid, drop rules with AOL's replies";
const exchange = 'Microsoft Learn, "DSNs and NDRs in Exchange Server", table of enhanced codes';

/** Lines that public sets of bounce rules and their tests quote; the half that the rules were written by. */
export const ruleSetLines: readonly RealLine[] = [
  ...atRcpt(sisimaiTests, undefined, {
    policy: [
      '550 5.1.1 RCP-P2 http://postmaster.facebook.com/response_codes?ip=192.0.2.135#rcp Refused due to recipient preferences',
    ],
  }),
  ...atRcpt(sendgrid, undefined, {
    policy: ['521 5.2.1 :  AOL will not accept delivery of this message.'],
    blocked: ['521 5.2.1 :  (HVU:B1)  http://postmaster.info.aol.com/errors/554hvub1.html'],
  }),
  ...atRcpt(exchange, undefined, { policy: ['550 5.2.1 Content Filter agent quarantined this message'] }),
];
