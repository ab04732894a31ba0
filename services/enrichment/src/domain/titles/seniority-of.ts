import type { Seniority } from '@mailproof/shared-types';
import { isChief, wordsOfTitle } from './title-words.ts';

/**
 * Infers the seniority from a job title, for sources that do not give it. Null if the title does not tell, like most
 * titles of ordinary trades: a guess would find people by something that no source stated.
 */
export function seniorityOf(title: string): Seniority | null {
  const words = wordsOfTitle(title);
  const has = (...any: string[]) => any.some(word => words.has(word));
  if (has('former', 'retired', 'aspiring')) {
    return null;
  }
  if (has('intern', 'trainee', 'student', 'training')) {
    return 'training';
  }
  if (has('volunteer', 'unpaid')) {
    return 'unpaid';
  }
  const isChiefly = [...words].some(isChief);
  if (
    has('assistant', 'secretary') &&
    !has('manager', 'director', 'vice_president', 'professor', 'general')
  ) {
    return has('senior') ? 'senior' : 'entry';
  }
  if (isChiefly) {
    return has('deputy', 'assistant') ? 'director' : 'cxo';
  }
  if (has('founder', 'owner')) {
    return 'owner';
  }
  if (has('president', 'chair')) {
    return has('deputy') ? 'vp' : 'cxo';
  }
  if (has('vice_president')) {
    return 'vp';
  }
  if (has('partner') && !has('manager', 'director', 'head', 'marketing', 'sales', 'success', 'channel')) {
    return 'partner';
  }
  return belowTheBoard(has);
}

function belowTheBoard(has: (...any: string[]) => boolean): Seniority | null {
  if (has('director', 'head')) {
    return 'director';
  }
  if (has('manager', 'supervisor', 'foreman', 'superintendent', 'lead')) {
    return has('junior', 'assistant') && !has('lead') ? 'entry' : 'manager';
  }
  if (has('senior', 'principal', 'staff', 'expert', 'distinguished', 'chief_of_staff', 'fellow')) {
    return 'senior';
  }
  if (has('junior', 'entry', 'associate', 'clerk', 'assistant', 'secretary', 'graduate', 'helper')) {
    return 'entry';
  }
  return null;
}
