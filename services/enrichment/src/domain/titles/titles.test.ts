import { describe, expect, it } from '@jest/globals';
import { departmentOf } from './department-of.ts';
import { seniorityOf } from './seniority-of.ts';
import { isSameTitle, isSimilarTitle, readingsOf, readTitle, wordsOfTitle } from './title-words.ts';

const similar = (asked: string, held: string) =>
  readingsOf(asked).some(each => isSimilarTitle(each, readTitle(held)));

describe('job titles', () => {
  it.each([
    ['CEO', 'Chief Executive Officer'],
    ['CEO', 'C.E.O.'],
    ['chief executive', 'Founder & CEO at Acme Sales Inc.'],
    ['CEO', 'Managing Director'],
    ['CEO', 'Geschäftsführerin'],
    ['CEO', 'Directrice générale'],
    ['Managing Director', 'Amministratore Delegato'],
    ['VP Sales', 'Vice President of Sales'],
    ['Vice President, Sales', 'Sales VP, EMEA'],
    ['VP', 'SVP Marketing'],
    ['Head of HR', 'Head of People'],
    ['Head of People', 'Personalleiterin'],
    ['Human Resources Manager', 'HR Mgr.'],
    ['Software Developer', 'Sr. Software Engineer (Backend)'],
    ['software engineer', 'Softwareentwickler (m/w/d)'],
    ['Software Engineer', 'Software-Entwickler:in'],
    ['développeur front-end', 'Frontend Dev'],
    ['CTO', 'Chief Technical Officer'],
    ['Marketing', 'CMO'],
    ['QA Engineer', 'Engineer, Quality Assurance'],
    ['c++ developer', 'C++ Engineer'],
    ['cofounder', 'Co-Founder'],
    ['Sales Director', 'Directeur des ventes'],
    ['Assistant to the CEO', 'assistant to the ceo'],
    ['former CEO', 'Former Chief Executive Officer'],
    ['CEO', 'Managing Director, Germany'],
    ['Managing Director', 'Managing Director, Investment Banking'],
    ['Managing Director, Germany', 'Managing Director Germany, Investment Banking'],
    ['CEO', 'Managing Director, Acme Consulting Ltd'],
    ['VP Engineering', 'VP of Eng'],
    ['Software Engineer', 'Software Eng'],
    ['RevOps Manager', 'Manager, Revenue Operations'],
    ['Account Executive', 'Enterprise AE'],
    ['Einkaufsleiter', 'Leiterin Einkauf'],
    ['Directeur financier', 'Directrice financière'],
    ['Physician', 'Cardiologist'],
  ])('take %s for %s', (asked, held) => expect(similar(asked, held)).toBe(true));

  it.each([
    ['President', 'Vice President'],
    ['CEO', 'Executive Assistant to the CEO'],
    ['CEO', 'Former CEO'],
    ['CEO', 'CEO Assistant'],
    ['Sales', 'CEO at Sales Inc.'],
    ['Owner', 'Product Owner'],
    ['Software Engineer', 'Engineer'],
    ['Director', 'Managing Director'],
    ['C developer', 'C++ developer'],
    ['Developer', 'Business Developer'],
    ['VP Sales', 'VP Marketing'],
    ['CEO', 'Managing Director, Investment Banking'],
    ['Product Manager', 'Product Marketing Manager'],
    ['Partner', 'Talent Acquisition Partner'],
    ['Partner', 'People Partner'],
    ['CEO', 'Chief of Staff to the CEO'],
    ['Volunteer', 'Volunteer Coordinator'],
    ['the', 'The Boss'],
  ])('do not take %s for %s', (asked, held) => expect(similar(asked, held)).toBe(false));

  it('are the same in any case, with any accents and punctuation', () => {
    const same = (one: string, other: string) => isSameTitle(readTitle(one), readTitle(other));
    expect(same('Vice-President,  Sales', 'vice president sales')).toBe(true);
    expect(same('Directeur général', 'directeur general')).toBe(true);
    expect(same('CEO', 'Chief Executive Officer')).toBe(false);
  });

  it.each([
    ['CEO @ Acme Sales', 'CEO at Acme Sales', 'ceo-at-acme sales'],
    ['HR Partner, EMEA', 'HR Partner EMEA', 'HR, Partner (EMEA)'],
    ['Partner, HR', 'Partner HR'],
    ['Sales Manager, Partner Programs', 'Sales Manager Partner Programs'],
    ['Managing Director, Finance', 'Managing Director (Finance)'],
  ])('that are one title mean the same: %s, %s', (...titles) => {
    expect(new Set(titles.map(title => readTitle(title).folded)).size).toBe(1);
    const [first, ...others] = titles.map(wordsOfTitle);
    for (const each of others) expect(each).toEqual(first);
  });

  it('are read in any form', () => {
    for (const title of [
      '',
      ' ',
      '@',
      '???',
      '最高経営責任者',
      '(m/w/d)',
      'x'.repeat(100_000),
      '🚀'.repeat(500),
    ]) {
      expect(wordsOfTitle(title).size).toBeLessThan(20);
      expect([seniorityOf(title), departmentOf(title)]).toEqual([null, null]);
    }
  });
});

/** Judged by a person, mostly before the words were listed. */
const judged = [
  ['CEO', 'cxo', null],
  ['Chief Financial Officer', 'cxo', 'finance'],
  ['Chief Marketing Officer', 'cxo', 'marketing'],
  ['CTO & Co-Founder', 'cxo', 'engineering'],
  ['Founder', 'owner', null],
  ['Inhaberin', 'owner', null],
  ['President', 'cxo', null],
  ['Chairman of the Board', 'cxo', 'advisory'],
  ['Managing Partner', 'partner', null],
  ['HR Business Partner', 'entry', 'human_resources'],
  ['Partner Manager', 'manager', 'partnerships'],
  ['VP of Engineering', 'vp', 'engineering'],
  ['Senior Vice President, Sales', 'vp', 'sales'],
  ['Vice President Human Resources', 'vp', 'human_resources'],
  ['Director of Product Management', 'director', 'product'],
  ['Head of Customer Success', 'director', 'support'],
  ['Vertriebsleiter', 'director', 'sales'],
  ['Directrice marketing', 'director', 'marketing'],
  ['Product Manager', 'manager', 'product'],
  ['Product Owner', 'entry', 'product'],
  ['Engineering Manager', 'manager', 'engineering'],
  ['Account Manager', 'manager', 'sales'],
  ['Account Executive', 'entry', 'sales'],
  ['Team Lead Customer Service', 'manager', 'support'],
  ['Senior Software Engineer', 'senior', 'engineering'],
  ['Principal Data Scientist', 'senior', 'research'],
  ['Staff Accountant', 'entry', 'finance'],
  ['Software Developer', 'entry', 'engineering'],
  ['Junior Developer', 'entry', 'engineering'],
  ['Sales Associate', 'entry', 'sales'],
  ['Solutions Engineer', 'entry', 'sales_engineering'],
  ['Sales Engineer', 'entry', 'sales_engineering'],
  ['Data Analyst', 'entry', 'analyst'],
  ['Business Analyst', 'entry', 'analyst'],
  ['Financial Controller', 'manager', 'finance'],
  ['Marketing Intern', 'training', 'marketing'],
  ['Werkstudent IT', 'training', 'engineering'],
  ['Apprentice Electrician', 'training', 'trade'],
  ['Volunteer', 'unpaid', null],
  ['Executive Assistant to the CEO', 'entry', 'operations'],
  ['Assistant Manager', 'entry', null],
  ['Assistant Professor', 'entry', 'education'],
  ['Registered Nurse', 'entry', 'health'],
  ['General Counsel', 'cxo', 'legal'],
  ['Attorney at Law', 'entry', 'legal'],
  ['Primary School Teacher', 'entry', 'education'],
  ['Sous Chef', 'senior', 'hospitality'],
  ['Truck Driver', 'entry', 'fulfillment'],
  ['Widget Twister at Acme Foods', 'entry', null],
  ['Supply Chain Manager', 'manager', 'fulfillment'],
  ['Plant Manager', 'manager', 'manufacturing'],
  ['Electrician', 'entry', 'trade'],
  ['Senator', null, 'public_service'],
  ['UX Designer', 'entry', 'creative'],
  ['Art Director', 'director', 'creative'],
  ['Recruiter', 'entry', 'human_resources'],
  ['Talent Acquisition Specialist', 'entry', 'human_resources'],
  ['Research Scientist', 'entry', 'research'],
  ['Management Consultant', 'entry', 'professional_service'],
  ['Real Estate Broker', 'entry', 'professional_service'],
  ['Board Advisor', null, 'advisory'],
  ['Purchasing Manager', 'manager', 'operations'],
  ['Office Manager', 'manager', 'operations'],
  ['General Manager', 'manager', 'operations'],
  ['Chief of Staff', 'senior', 'operations'],
  ['Managing Director, Investment Banking', 'director', 'finance'],
  ['Talent Acquisition Partner', 'entry', 'human_resources'],
  ['Product Marketing Manager', 'manager', 'marketing'],
  ['RevOps Lead', 'manager', 'operations'],
  ['AE', 'entry', 'sales'],
  ['SDR', 'entry', 'sales'],
  ['PM', 'manager', 'product'],
  ['Chief Engineer', 'director', 'engineering'],
  ['Head Chef', 'manager', 'hospitality'],
  ['Volunteer Coordinator', 'entry', 'human_resources'],
  ['MD, Cardiology', 'entry', 'health'],
  ['Scrum Master', 'entry', 'engineering'],
  ['Summer Analyst, Investment Banking', 'training', 'finance'],
  ['Postdoctoral Research Fellow', 'entry', 'research'],
  ['Executive Chef', 'manager', 'hospitality'],
  ['Buyer', 'entry', 'operations'],
  ['Category Manager', 'manager', 'operations'],
  ['Policy Advisor', 'entry', 'public_service'],
  ['Board Member', null, 'advisory'],
  ['Independent Director', 'director', 'advisory'],
  ['County Commissioner', null, 'public_service'],
  ['City Manager', 'manager', 'public_service'],
  ['Site Superintendent', 'manager', 'trade'],
  ['Vice Chancellor', 'vp', 'education'],
  ['Provost', 'cxo', 'education'],
  ['Editor-in-Chief', 'director', 'creative'],
  ['Managing Editor', 'manager', 'creative'],
  ['Radio Host', 'entry', 'creative'],
  ['Orchestra Conductor', 'entry', 'creative'],
  ['Stage Manager', 'manager', 'creative'],
  ['Major Gifts Officer', 'entry', 'public_service'],
  ['National Accounts Manager', 'manager', 'sales'],
  ['Relationship Manager', 'manager', 'sales'],
  ['Store Clerk', 'entry', 'sales'],
  ['Moulding Shop Manager', 'manager', 'manufacturing'],
  ['Equity Research Analyst', 'entry', 'finance'],
  ['Stock Broker', 'entry', 'finance'],
  ['Mortgage Processor', 'entry', 'finance'],
  ['Revenue Cycle Manager', 'manager', 'finance'],
  ['Corporate Development Manager', 'manager', 'finance'],
  ['Strategy Manager', 'manager', 'operations'],
  ['Loss Prevention Officer', 'entry', 'operations'],
  ['Medical Coder', 'entry', 'health'],
  ['Radiologic Technologist', 'entry', 'health'],
  ['Emergency Room Technician', 'entry', 'health'],
  ['Endodontist', 'entry', 'health'],
  ['Emergency Management Coordinator', 'entry', 'public_service'],
  ['Public Affairs Manager', 'manager', 'marketing'],
  ['Public Defender', 'entry', 'legal'],
  ['Steelworker', 'entry', 'trade'],
  ['Pipefitter', 'entry', 'trade'],
  ['Football Coach', 'entry', 'education'],
  ['Consumer Insights Manager', 'manager', 'marketing'],
  ['Leiter Qualitätsmanagement', 'director', 'manufacturing'],
  ['Bauzeichner', 'entry', 'engineering'],
  ['Fachinformatiker', 'entry', 'engineering'],
  ['Ingénieur commercial', 'entry', 'sales_engineering'],
  ['Electrical Foreman', 'manager', 'trade'],
  ['Bilanzbuchhalter', 'entry', 'finance'],
  ['Ejecutiva de cuentas', 'entry', 'sales'],
  ['Former CEO', null, null],
  ['Ninja', null, null],
] as const;

describe('seniority and department of a title', () => {
  it.each(judged)('%s: %s, %s', (title, seniority, department) => {
    expect([seniorityOf(title), departmentOf(title)]).toEqual([seniority, department]);
  });
});

/** A sample that was judged before it was first measured: 137 of 139 seniorities and 133 departments were right. */
const sample = `
Managing Director, Equity Capital Markets | director | finance
Vice President, Investor Relations | vp | finance
Credit Risk Manager | manager | finance
Junior Investment Analyst | entry | finance
Tax Director | director | finance
Management Accountant | entry | finance
Wealth Management Associate | entry | finance
Assistant Treasurer | entry | finance
Finance Controller | manager | finance
Reinsurance Broker | entry | finance
Trading Assistant | entry | finance
Financial Crime Investigator | entry | finance
Senior Audit Associate | senior | finance
Partner & Head of Tax | director | finance
National Managing Partner | partner | -
Strategy Consultant | entry | professional_service
Director, Technology Consulting | director | engineering
Managing Consultant | entry | professional_service
Founder and Managing Director | cxo | -
Managing Director, Acme Software GmbH | cxo | engineering
President, Asia Pacific | cxo | -
Interim Managing Director | cxo | -
Non-Exec Director | director | advisory
C# Developer | entry | engineering
Engineering Lead | manager | engineering
Head of DevOps | director | engineering
Staff Machine Learning Engineer | senior | engineering
VP, Software Engineering | vp | engineering
Chief Data Officer | cxo | engineering
Solution Architect | entry | engineering
Manufacturing Test Engineer | entry | engineering
Environmental Engineer | entry | engineering
Cloud Engineer | entry | engineering
Senior Manager, Software Engineering | manager | engineering
Electronics Technician | entry | engineering
Web Master | entry | engineering
Audio Engineer | entry | engineering
Power BI Developer | entry | engineering
Product Manager II | manager | product
VP, Product & Design | vp | product
Product Owner, Mobile | entry | product
Design Director | director | creative
Senior Copywriter | senior | marketing
Videographer | entry | creative
Game Artist | entry | creative
Theatre Director | director | creative
Marketing Assistant | entry | marketing
Head of Growth Marketing | director | marketing
Director of Digital Marketing | director | marketing
Brand Strategist | entry | marketing
Press Officer | entry | creative
Event Coordinator | entry | marketing
SDR Manager | manager | sales
VP Revenue | vp | sales
Outbound Sales Specialist | entry | sales
Regional Account Manager | manager | sales
Chief Sales Officer | cxo | sales
Fundraising Manager | manager | public_service
Counter Assistant | entry | -
Sales Support Coordinator | entry | support
Senior Solutions Engineer | senior | sales_engineering
Support Engineer II | entry | support
Chief Customer Officer | cxo | support
Client Success Lead | manager | support
Partner Success Manager | manager | partnerships
Head of Ops | director | operations
Logistics Specialist | entry | fulfillment
Director of Procurement & Sourcing | director | operations
Team Assistant | entry | -
Office Coordinator | entry | operations
Chief of Staff, Engineering | senior | operations
Vendor Manager | manager | operations
VP of Talent Acquisition | vp | human_resources
Compensation Analyst | entry | human_resources
Employee Relations Specialist | entry | human_resources
HR Operations Lead | manager | human_resources
Recruitment Manager | manager | human_resources
Gastroenterologist | entry | health
Ophthalmologist | entry | health
Nurse Educator | entry | health
Surgical Resident | training | health
Dietitian | entry | health
Phlebotomist | entry | health
Medical Receptionist | entry | health
Director of Pharmacy | director | health
Social Care Worker | entry | health
Vet | entry | health
Family Lawyer | entry | legal
Legal Operations Manager | manager | legal
Compliance Director | director | legal
Judicial Clerk | entry | legal
Deputy Sheriff | entry | public_service
Lieutenant Colonel | senior | public_service
Planning Officer | entry | -
Ambassador | - | public_service
Coast Guard Officer | entry | public_service
Substitute Teacher | entry | education
Academic Dean | entry | education
Instructional Designer | entry | creative
Music Teacher | entry | education
Graduate Research Assistant | entry | research
Principal Scientist | senior | research
Clinical Research Associate | entry | research
Geologist | entry | research
Drywall Installer | entry | trade
Electrical Contractor | entry | trade
Maintenance Supervisor | manager | trade
Welder Fabricator | entry | manufacturing
Heavy Duty Mechanic | entry | trade
Plant Operator | entry | manufacturing
Quality Manager | manager | manufacturing
Production Planner | entry | manufacturing
Textile Worker | entry | manufacturing
Warehouse Supervisor | manager | fulfillment
Delivery Rider | entry | fulfillment
Train Driver | entry | fulfillment
Import/Export Coordinator | entry | fulfillment
Kitchen Porter | entry | fulfillment
Hotel Concierge | entry | hospitality
Assistant Restaurant Manager | entry | hospitality
Baker | entry | manufacturing
Beauty Therapist | entry | health
Estate Agent | entry | professional_service
Leiter IT | director | engineering
Produktmanagerin | manager | product
Bankkauffrau | entry | finance
Rettungssanitäter | entry | health
Kfz-Mechaniker | entry | trade
Assistentin der Geschäftsführung | entry | operations
Responsable qualité | manager | manufacturing
Chargée de clientèle | manager | sales
Cuisinier | entry | hospitality
Directeur d'agence | director | -
Técnico de soporte | entry | support
Directora de recursos humanos | director | human_resources
Mecánico | entry | trade
Teamleider verkoop | manager | sales
Beleggingsadviseur | - | advisory
Impiegata amministrativa | entry | operations
`;

describe('a sample that did not shape the rules', () => {
  const rows = sample
    .trim()
    .split('\n')
    .map(row => row.split(' | ').map(each => (each === '-' ? null : each)));

  it.each(rows)('%s: %s, %s', (title, seniority, department) => {
    expect([seniorityOf(String(title)), departmentOf(String(title))]).toEqual([seniority, department]);
  });
});
