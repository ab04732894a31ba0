import { describe, expect, it } from '@jest/globals';
import { departmentOf } from './department-of.ts';
import { seniorityOf } from './seniority-of.ts';
import { isSameTitle, isSimilarTitle, readTitle, wordsOfTitle } from './title-words.ts';

const similar = (asked: string, held: string) => isSimilarTitle(readTitle(asked), readTitle(held));

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
    ['the', 'The Boss'],
  ])('do not take %s for %s', (asked, held) => expect(similar(asked, held)).toBe(false));

  it('are the same in any case, with any accents and punctuation', () => {
    const same = (one: string, other: string) => isSameTitle(readTitle(one), readTitle(other));
    expect(same('Vice-President,  Sales', 'vice president sales')).toBe(true);
    expect(same('Directeur général', 'directeur general')).toBe(true);
    expect(same('CEO', 'Chief Executive Officer')).toBe(false);
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
  ['HR Business Partner', null, 'human_resources'],
  ['Partner Manager', 'manager', 'partnerships'],
  ['VP of Engineering', 'vp', 'engineering'],
  ['Senior Vice President, Sales', 'vp', 'sales'],
  ['Vice President Human Resources', 'vp', 'human_resources'],
  ['Director of Product Management', 'director', 'product'],
  ['Head of Customer Success', 'director', 'support'],
  ['Vertriebsleiter', 'director', 'sales'],
  ['Directrice marketing', 'director', 'marketing'],
  ['Product Manager', 'manager', 'product'],
  ['Product Owner', null, 'product'],
  ['Engineering Manager', 'manager', 'engineering'],
  ['Account Manager', 'manager', 'sales'],
  ['Account Executive', null, 'sales'],
  ['Team Lead Customer Service', 'manager', 'support'],
  ['Senior Software Engineer', 'senior', 'engineering'],
  ['Principal Data Scientist', 'senior', 'research'],
  ['Staff Accountant', 'senior', 'finance'],
  ['Software Developer', null, 'engineering'],
  ['Junior Developer', 'entry', 'engineering'],
  ['Sales Associate', 'entry', 'sales'],
  ['Solutions Engineer', null, 'sales_engineering'],
  ['Sales Engineer', null, 'sales_engineering'],
  ['Data Analyst', null, 'analyst'],
  ['Business Analyst', null, 'analyst'],
  ['Financial Controller', null, 'finance'],
  ['Marketing Intern', 'training', 'marketing'],
  ['Werkstudent IT', 'training', 'engineering'],
  ['Apprentice Electrician', 'training', 'trade'],
  ['Volunteer', 'unpaid', null],
  ['Executive Assistant to the CEO', 'entry', 'operations'],
  ['Assistant Manager', 'entry', null],
  ['Assistant Professor', 'entry', 'education'],
  ['Registered Nurse', null, 'health'],
  ['General Counsel', null, 'legal'],
  ['Attorney at Law', null, 'legal'],
  ['Primary School Teacher', null, 'education'],
  ['Sous Chef', null, 'hospitality'],
  ['Truck Driver', null, 'fulfillment'],
  ['Supply Chain Manager', 'manager', 'fulfillment'],
  ['Plant Manager', 'manager', 'manufacturing'],
  ['Electrician', null, 'trade'],
  ['Senator', null, 'public_service'],
  ['UX Designer', null, 'creative'],
  ['Art Director', 'director', 'creative'],
  ['Recruiter', null, 'human_resources'],
  ['Talent Acquisition Specialist', null, 'human_resources'],
  ['Research Scientist', null, 'research'],
  ['Management Consultant', null, 'professional_service'],
  ['Real Estate Broker', null, 'professional_service'],
  ['Board Advisor', null, 'advisory'],
  ['Purchasing Manager', 'manager', 'operations'],
  ['Office Manager', 'manager', 'operations'],
  ['General Manager', 'manager', 'operations'],
  ['Chief of Staff', 'senior', 'operations'],
  ['Former CEO', null, null],
  ['Ninja', null, null],
] as const;

describe('seniority and department of a title', () => {
  it.each(judged)('%s: %s, %s', (title, seniority, department) => {
    expect([seniorityOf(title), departmentOf(title)]).toEqual([seniority, department]);
  });
});
