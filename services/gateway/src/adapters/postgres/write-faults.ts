import { AccountDeleted } from '../../domain/accounts/account.ts';

const uniqueViolation = '23505';

/** Whether a statement failed because the row already exists. */
export function isDuplicate(error: unknown): boolean {
  return (Object(error) as { code?: unknown }).code === uniqueViolation;
}

const foreignKeyViolation = '23503';
const reachesAccount = /_(?:account|user)_id_fkey$/;

/** Whether a row could not be written because its account or user has been deleted meanwhile. */
export function isDeletedAccountFault(error: unknown): boolean {
  const { code, constraint } = Object(error) as { code?: unknown; constraint?: unknown };
  return (
    error instanceof AccountDeleted ||
    (code === foreignKeyViolation && reachesAccount.test(String(constraint)))
  );
}
