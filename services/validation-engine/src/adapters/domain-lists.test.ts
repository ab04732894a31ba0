import { describe, expect, test } from '@jest/globals';
import { emailTypeOf } from '../domain/verdict/email-type.ts';
import { loadDomainLists } from './domain-lists.ts';

describe('the kept lists', () => {
  const lists = loadDomainLists();

  test.each([
    ['gmail.com', 'personal'],
    ['web.de', 'personal'],
    ['mailinator.com', 'disposable'],
    ['anything.33mail.com', 'disposable'],
    ['stanford.edu', 'education'],
    ['cs.ox.ac.uk', 'education'],
    ['unimelb.edu.au', 'education'],
    ['nasa.gov', 'government'],
    ['hmrc.gov.uk', 'government'],
    ['army.mil', 'government'],
    ['interieur.gouv.fr', 'government'],
    ['meti.go.jp', 'government'],
    ['ec.europa.eu', 'government'],
    ['sas.ac', 'business'],
    ['sony.com', 'business'],
    ['gov.example', 'business'],
    ['ordinary.example', 'business'],
    ['notmailinator.com.example', 'business'],
  ])('make %s %s', (domain, emailType) => {
    expect(emailTypeOf(domain, lists)).toBe(emailType);
  });
});
