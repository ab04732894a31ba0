import type { PoolClient } from 'pg';
import { profileAnswerTrace } from '../adapters/postgres/profile-answers.ts';
import type { SubjectTrace } from '../domain/privacy/suppression.ts';

/** Who keeps something of people outside the profile store and has to forget it with them. */
export const subjectTraces: readonly SubjectTrace<PoolClient>[] = [profileAnswerTrace];
