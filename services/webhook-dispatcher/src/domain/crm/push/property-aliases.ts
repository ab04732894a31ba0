import type { CrmObject } from '@mailproof/shared-types';

/**
 * Names that mean the same, in words without anything between them. The first of each line is the meaning; the others are
 * what columns of lists and properties of CRMs are called.
 */
const meanings: readonly (readonly string[])[] = [
  ['firstname', 'givenname', 'forename', 'first', 'vorname', 'prenom', 'fname'],
  ['lastname', 'surname', 'familyname', 'last', 'nachname', 'nom', 'lname'],
  ['email', 'emailaddress', 'mail', 'workemail', 'businessemail', 'primaryemail', 'contactemail'],
  ['phone', 'phonenumber', 'telephone', 'tel', 'telephonenumber', 'workphone', 'businessphone', 'telefon'],
  ['mobilephone', 'mobile', 'mobilenumber', 'mobilephonenumber', 'cell', 'cellphone', 'handy'],
  ['fax', 'faxnumber'],
  ['jobtitle', 'title', 'position', 'role', 'jobposition', 'function'],
  ['salutation', 'courtesytitle'],
  ['seniority', 'hsseniority', 'employmentseniority', 'senioritylevel'],
  ['department', 'jobdepartment', 'employmentrole', 'hsrole'],
  [
    'linkedinurl',
    'linkedin',
    'linkedinprofile',
    'linkedinprofileurl',
    'hslinkedinurl',
    'linkedinbio',
    'linkedincompanypage',
    'profileurl',
  ],
  ['website', 'url', 'web', 'homepage', 'websiteurl', 'companywebsite', 'site'],
  ['domain', 'companydomain', 'companydomainname', 'domainname', 'websitedomain'],
  ['street', 'address', 'streetaddress', 'mailingstreet', 'billingstreet', 'addressline1'],
  ['city', 'town', 'locality', 'mailingcity', 'billingcity', 'ort', 'ville'],
  ['state', 'region', 'stateregion', 'province', 'stateprovince', 'mailingstate', 'billingstate'],
  ['zip', 'zipcode', 'postalcode', 'postcode', 'mailingpostalcode', 'billingpostalcode', 'plz'],
  ['country', 'countryregion', 'mailingcountry', 'billingcountry', 'land', 'pays'],
  ['industry', 'branche', 'sector'],
  ['numberofemployees', 'employees', 'employeecount', 'headcount', 'noofemployees'],
  ['annualrevenue', 'annualrevenueusd', 'revenueusd'],
  ['companysize', 'sizeofcompany'],
  ['description', 'about', 'summary', 'bio'],
  ['followercount', 'followers', 'linkedinfollowers'],
];

/** What a contact or a lead works for is a company's name; a company’s own property is called `name`. */
const companyNames = [
  'company',
  'companyname',
  'organisation',
  'organization',
  'organisationname',
  'organizationname',
  'employer',
  'accountname',
  'firma',
  'entreprise',
];

/** The name of a person in one piece. */
export const wholeNames: readonly string[] = ['name', 'fullname', 'contactname', 'personname', 'vollername'];

const meaningByWords: ReadonlyMap<string, string> = new Map(
  meanings.flatMap(([meaning = '', ...others]) => [meaning, ...others].map(words => [words, meaning])),
);

/** `First Name`, `first_name`, `FirstName` and `First_Name__c` are all `firstname`. */
export function wordsOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/__c$/i, '')
    .toLowerCase()
    .replace(/^input_/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

export function meaningOf(name: string, object: CrmObject): string | undefined {
  const words = wordsOf(name);
  if (companyNames.includes(words) || (object === 'company' && words === 'name')) {
    return 'company';
  }
  return meaningByWords.get(words);
}
