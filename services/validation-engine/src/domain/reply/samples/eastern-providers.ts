import { atRcpt, type RealLine } from './real-line.ts';

const manual = 'smtp-field-manual, data/codes';
const dbmail = 'dbmailserver.com, list of bounces by cause';
const netease = 'NetEase list of return codes, repeated on biecuoliao.com';
const coremail = 'Coremail support, list of bounces';
const sina = "blog.sina.com.cn, list of Sina's SMTP replies";
const tencent = 'sisimai, lib/Sisimai/Rhost/Tencent.pm';
const interia = 'pomoc.poczta.interia.pl, reasons for undelivered mail';

export const easternProviderLines: readonly RealLine[] = [
  ...atRcpt(manual, 'yandex', {
    missing: ['550 5.7.1 No such user!'],
    full: ['552 5.2.2 Mailbox size limit exceeded'],
    rate_limited: ['450 4.2.1 The recipient has exceeded message rate limit. Try again later.'],
    blocked: ['554 5.7.1 [1] Message rejected under suspicion of SPAM; https://ya.cc/1IrBc'],
    policy: [
      '550 5.7.1 Policy rejection on the target address',
      '550 5.7.1 Email rejected per DMARC policy for mail.ru',
    ],
  }),
  ...atRcpt('Postfix log on GitHub: mx.yandex.ru', 'yandex', {
    greylisted: [
      '451 4.7.1 Sorry, the service is currently unavailable. Please come back later. 8ohqT2RI-8ohqQZ6F',
    ],
  }),
  ...atRcpt(manual, 'mail_ru', {
    disabled: [
      '550 Message was not accepted -- invalid mailbox. Local mailbox former@mail.ru is unavailable: account is disabled',
    ],
    blocked: [
      '550 spam message rejected. Please visit http://help.mail.ru/notspam-support/id?c=7y4ytdHbuOGv or report details to abuse@corp.mail.ru. Error code: B5322EEF',
    ],
  }),
  ...atRcpt('Sympa, t/bounces.t: mxs.mail.ru', 'mail_ru', {
    missing: [
      '550 Message was not accepted -- invalid mailbox. Local mailbox nobody@inbox.ru is unavailable: user not found',
    ],
  }),
  ...atRcpt('sisimai, lib/Sisimai/Reason/Blocked.pm', 'mail_ru', {
    blocked: [
      '550 We do not accept mail from dynamic IPs.',
      '550 We do not accept mail from hosts with dynamic IP or generic dns PTR-records',
    ],
  }),
  ...atRcpt(dbmail, 'tencent', {
    missing: [
      '550 Mailbox not found. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000728',
    ],
    refused: [
      '501 Bad address syntax. http://service.mail.qq.com/cgi-bin/help?subtype=1&&id=20022&&no=1000730',
    ],
  }),
  ...atRcpt(tencent, 'tencent', {
    rate_limited: ['550 Mailbox unavailable or access denined'],
    disabled: ['550 former@qq.com is a deactivated mailbox'],
    blocked: [
      '550 Suspected spam ip https://service.mail.qq.com/detail/122/66',
      '550 Ip frequency limited https://service.mail.qq.com/detail/122/172',
      '550 Suspected bounce attacks https://service.mail.qq.com/detail/122/57',
    ],
    policy: [
      '550 SPF check failed https://service.mail.qq.com/detail/122/72',
      '550 Mail is rejected by recipients https://service.mail.qq.com/detail/122/92',
    ],
  }),
  ...atRcpt(dbmail, 'netease', { missing: ['550 User not found: nobody@163.com'] }),
  ...atRcpt('sisimai, lib/Sisimai/Reason/Suspend.pm', 'netease', {
    disabled: ['550 User suspended: former@163.com'],
  }),
  ...atRcpt(netease, 'netease', {
    blocked: [
      '421 HL:REP 163 mx25,UMCowED5XVN 192.0.2.1',
      '421 HL:ICC 163 mx10,TMCowEDJZ 192.0.2.1',
      '450 MI:CEL 163 smtp12',
      '450 RP:CCL 163 smtp4',
      '450 DT:RBL 163 mx29',
      '450 WM:BLI 163 mx3',
      '451 DT:SPM ,please try again',
    ],
  }),
  ...atRcpt(coremail, 'coremail', {
    policy: [
      '550 Requested action not taken: Local user only',
      '550 Requested action not taken: NULL sender is not allowed',
      '550 Requested action not taken: no smtp MX only',
    ],
    disabled: ['550 User suspended'],
    missing: ['550 User not found', '550 user not known'],
    refused: ['550 User rejected', '550 mailbox currently unavailable'],
  }),
  ...atRcpt(sina, 'sina', {
    missing: ['550 mailbox unavailable.'],
    disabled: ['550 user is locked.'],
    blocked: ['550 black ip.', '554 rbl deny.'],
    policy: [
      '554 mail address invalid.',
      '553 host denies the sender.',
      '553 host denies relay.',
      '553 relay check local fail.',
    ],
    temporary: ['450 mailbox unavailable.', '450 queue unavailable.'],
  }),
  ...atRcpt('your-digital-rights/yourdigitalrights.org, issue 736', 'naver', {
    missing: [
      '550 5.1.1 No such user. For more information, go to https://help.naver.com/alias/mail/newmail10.naver YFIkhhfiSGCl2Nuynp4eNQ - nsmtp',
    ],
  }),
  ...atRcpt('Reacher, core/src/smtp/parser.rs', 'daum', {
    disabled: ['550 5.2.1 RACT 192.0.2.1: Mailbox is inactive: <former@hanmail.net>'],
  }),
  ...atRcpt(dbmail, undefined, {
    missing: [
      '550 RC:LD The email account that you tried to reach does no exists.',
      '550 RC:NE The email account does not exist.',
      '551 5.1.1 recipient is not exist',
      '550 nobody:user not exist',
      '550 5.1.1 Bad destination mailbox address',
      '550 Local User [nobody@ordinary.example] not found.',
      '550 5.7.0 nobody@ordinary.example... address invalid',
      '550 no such user here (umail mta)',
      '550 5.1.1 nobody@ordinary.example recipient rejected',
      '550 5.1.1 <nobody@ordinary.example>: Recipient address rejected: undeliverable address: unknown user: "nobody@ordinary.example"',
    ],
    refused: ['550 #2175041 unavailable mail user', '552 "RCPT TO" mailbox unavailable'],
  }),
  ...atRcpt(interia, undefined, {
    missing: ['550 5.1.1 Account not found'],
    refused: ['550 5.2.1 Mailbox not available'],
    policy: [
      "550 5.7.1 Recipient doesn't want your mail",
      '550 5.7.0 [SPF] 192.0.2.1 is not allowed to send mail from checker.example',
    ],
  }),
  ...atRcpt('chkuser replies on grhosting.cz', undefined, {
    full: ['552 5.1.1 5.2.2 sorry, final recipient mailbox is full (chkuser)'],
    blocked: [
      '550 5.1.1 <probe@checker.example> sender is blacklisted',
      '552 5.2.0 0biL1i00V1cmcpM01biL4w spam detected',
    ],
    policy: ['550 5.1.0 0bcW1i00G0jifNx01bcmHa blocked by SPF'],
  }),
];
