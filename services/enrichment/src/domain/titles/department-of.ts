import type { Department } from '@mailproof/shared-types';
import { wordsOfTitle } from './title-words.ts';

/**
 * Words and pairs of words (`a+b`) that determine a department. Earlier entries win: a sales engineer is not in the
 * engineering department, and a nurse's manager not in operations.
 */
const tellers: readonly (readonly [Department, string])[] = [
  ['sales_engineering', 'sales+engineer sales+architect solutions+architect'],
  ['human_resources', 'human_resources recruiting payroll talent compensation benefits sourcer'],
  ['legal', 'lawyer counsel legal paralegal compliance judge notary litigation'],
  [
    'health',
    'nurse physician surgeon dentist pharmacist therapist veterinarian medical clinical caregiver paramedic',
  ],
  ['health', 'midwife psychologist dental nursing radiologist healthcare'],
  [
    'education',
    'teacher professor lecturer tutor instructor principal+school dean librarian teaching faculty educator',
  ],
  [
    'hospitality',
    'chef cook waiter waitress bartender barista hotel restaurant concierge housekeeper sommelier',
  ],
  ['hospitality', 'front+desk housekeeping catering'],
  [
    'public_service',
    'senator representative+state mayor congressman congresswoman minister ambassador diplomat',
  ],
  [
    'public_service',
    'police firefighter soldier military councillor legislator governor sheriff deputy+sheriff',
  ],
  [
    'partnerships',
    'partnerships partnership partner+manager alliances alliance partner+channel business_partner+channel',
  ],
  [
    'product',
    'product_owner product+manager product+head product+director product+chief product+vice_president',
  ],
  ['product', 'product+lead'],
  ['support', 'support helpdesk help+desk customer+service customer+success customer+care service+desk'],
  [
    'marketing',
    'marketing brand seo content+strategist growth public_relations communications advertising copywriter',
  ],
  ['marketing', 'social+media ecommerce demand+generation'],
  ['sales', 'sales account+executive account+manager business_development revenue commercial merchandiser'],
  ['sales', 'salesperson salesman saleswoman cashier store+manager'],
  ['research', 'scientist researcher research postdoc laboratory'],
  [
    'creative',
    'designer design artist photographer writer editor illustrator animator user_experience ui creative',
  ],
  ['creative', 'musician producer journalist videographer art+director'],
  ['analyst', 'data+analyst business+analyst analyst analytics'],
  [
    'finance',
    'finance accountant auditor controller treasurer tax banker investment bookkeeping audit economist',
  ],
  ['finance', 'credit underwriter actuary portfolio trader wealth accounts+payable accounts+receivable'],
  [
    'fulfillment',
    'logistics warehouse driver shipping delivery courier supply+chain dispatcher forklift freight',
  ],
  [
    'manufacturing',
    'manufacturing production machinist assembler plant factory welder fabrication assembly tooling',
  ],
  [
    'trade',
    'electrician plumber carpenter mechanic hvac construction painter mason roofer installer technician',
  ],
  ['trade', 'builder gardener'],
  ['engineering', 'engineer engineering software devops architect information_technology chief+technology'],
  [
    'engineering',
    'quality_assurance machine_learning artificial_intelligence front_end back_end full_stack sre',
  ],
  [
    'engineering',
    'chief+information infrastructure cloud security+information network sysadmin systems+administrator',
  ],
  ['engineering', 'data cybersecurity technology scrum'],
  [
    'professional_service',
    'consultant consulting translator interpreter realtor broker agent hairdresser coach',
  ],
  ['advisory', 'advisor board chair trustee advisory mentor'],
  [
    'operations',
    'operations procurement facilities administrator administrative office project program secretary',
  ],
  ['operations', 'receptionist chief_of_staff executive+assistant clerk general+manager'],
];

const tests = tellers.flatMap(([department, words]) =>
  words.split(' ').map(each => ({ department, words: each.split('+') })),
);

/** Infers the department from a job title, for sources that do not give it; null if the title does not tell. */
export function departmentOf(title: string): Department | null {
  const held = wordsOfTitle(title);
  return tests.find(({ words }) => words.every(word => held.has(word)))?.department ?? null;
}
