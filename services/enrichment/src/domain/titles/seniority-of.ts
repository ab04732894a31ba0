import type { Department, Seniority } from '@mailproof/shared-types';
import { departmentOfWords, namesPerson } from './department-words.ts';
import { foldTitle, isChief, withoutContext, wordsOfTitle } from './title-words.ts';

/**
 * Infers the seniority from a job title, for sources that do not give it. A calling without a word of level is an
 * individual contributor: `entry`. Null if the title tells neither a level nor a calling, and for offices that are
 * elected or advise: a guess would find people by something that no source stated.
 */
export function seniorityOf(title: string): Seniority | null {
  const words = wordsOfTitle(title);
  const has = (...any: string[]) => any.some(word => words.has(word));
  if (has('former', 'retired', 'aspiring')) {
    return null;
  }
  if (has('intern', 'trainee', 'student') || (has('resident') && departmentOfWords(words) === 'health')) {
    return 'training';
  }
  if (has('volunteer', 'unpaid')) {
    return 'unpaid';
  }
  if (has('state_secretary', 'general_secretary')) {
    return has('deputy', 'assistant') ? 'director' : 'cxo';
  }
  if (has('chief_of_staff')) {
    return 'senior';
  }
  if (
    has('assistant', 'secretary') &&
    !has('manager', 'director', 'vice_president', 'professor', 'general')
  ) {
    return has('senior') ? 'senior' : 'entry';
  }
  const folded = withoutContext(foldTitle(title));
  return onTheBoard(words, has, folded) ?? belowTheBoard(words, has, folded);
}

type Has = (...any: string[]) => boolean;

function onTheBoard(words: ReadonlySet<string>, has: Has, folded: string): Seniority | null {
  const isBelow = has('deputy', 'assistant', 'associate');
  if ([...words].some(isChief)) {
    // A chief engineer leads engineers; a chief technology officer is on the board.
    return isBelow || isChiefOfCalling(words, folded) ? 'director' : 'cxo';
  }
  if (has('founder', 'owner')) {
    return 'owner';
  }
  if (has('president', 'chair', 'chancellor', 'provost', 'rector')) {
    return isBelow ? 'vp' : 'cxo';
  }
  if (has('general') && has('counsel')) {
    return isBelow ? 'director' : 'cxo';
  }
  if (has('vice_president')) {
    return 'vp';
  }
  const works = has(
    'manager',
    'director',
    'head',
    'marketing',
    'sales',
    'success',
    'channel',
    'managing_director',
  );
  return has('partner') && !works ? 'partner' : null;
}

function isChiefOfCalling(words: ReadonlySet<string>, folded: string): boolean {
  return (
    /\bchief\b/u.test(folded) && !/\bofficer\b/u.test(folded) && words.has('chief') && namesPerson(words)
  );
}

function belowTheBoard(words: ReadonlySet<string>, has: Has, folded: string): Seniority | null {
  const department = departmentOfWords(words);
  const isPerson = namesPerson(words) || isAgent(folded) || (department !== null && has('staff'));
  if (
    has('director', 'managing_director', 'school_head') ||
    (has('head') && !isHeadOfCalling(isPerson, folded))
  ) {
    return 'director';
  }
  if (has('manager', 'supervisor', 'foreman', 'superintendent', 'lead', 'head')) {
    return has('junior', 'assistant') && !has('lead', 'head') ? 'entry' : 'manager';
  }
  if (has('controller') && has('finance', 'group', 'corporate')) {
    return 'manager';
  }
  if (has('staff') && department !== null && ranksOfStaff.has(department)) {
    return 'senior';
  }
  if (has('senior', 'principal', 'expert', 'distinguished', 'founding', 'iii', 'iv')) {
    return 'senior';
  }
  if ((has('fellow') && !has('postdoc')) || (has('master') && !has('scrum'))) {
    return 'senior';
  }
  if (has('professor') && !has('assistant', 'adjunct', 'visiting')) {
    return 'senior';
  }
  if (
    has(
      'of_counsel',
      'captain',
      'sergeant',
      'lieutenant',
      'colonel',
      'company_secretary',
      'consultant_physician',
    )
  ) {
    return 'senior';
  }
  if (has('junior', 'entry', 'associate', 'clerk', 'assistant', 'secretary', 'graduate', 'helper')) {
    return 'entry';
  }
  const isOffice = department === 'advisory' || (department === 'public_service' && has(...elected));
  return isPerson && !isOffice ? 'entry' : null;
}

/** Where a member of the staff is above a senior one; elsewhere the word only says that the person is employed. */
const ranksOfStaff: ReadonlySet<Department> = new Set<Department>([
  'engineering',
  'product',
  'research',
  'creative',
  'sales_engineering',
]);

/** Whether a title ends with a noun for a person that is formed from what they do: `handler`. */
function isAgent(folded: string): boolean {
  return /(?<!\b(custom|consum|comput|care|cent|pow|wat|sect|lab|ord))(er|or|ist|ian|eur|ier)s?$/u.test(
    folded,
  );
}

/** A head chef leads chefs, like a manager; a head of engineering leads a department. */
function isHeadOfCalling(isPerson: boolean, folded: string): boolean {
  return isPerson && /\bhead (?!of\b)/u.test(folded);
}

const elected = [
  'senator',
  'representative',
  'mayor',
  'congressman',
  'congresswoman',
  'minister',
  'ambassador',
  'councillor',
  'legislator',
  'governor',
  'commissioner',
  'alderman',
];
