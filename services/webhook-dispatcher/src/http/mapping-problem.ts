import { Problem } from '@mailproof/service-kit';
import { MappingFault } from '../domain/crm/push/mapping-faults.ts';
import { NoSuchConnection } from '../domain/crm/push/prepare-push.ts';
import { orCrmProblem } from './crm-problem.ts';

/** What was asked of a CRM, or the problem that says why it is not done. `root` is where the options stand in the body. */
export async function orMappingProblem<Result>(asked: Promise<Result>, root: string): Promise<Result> {
  try {
    return await orCrmProblem(asked);
  } catch (error) {
    if (error instanceof NoSuchConnection) {
      throw new Problem('crm_connection_not_found', { cause: error });
    }
    if (error instanceof MappingFault) {
      const errors = error.issues.map(({ path, message }) => ({
        pointer: `${root}/${path}`,
        detail: message,
      }));
      const [first] = errors;
      throw new Problem('crm_mapping_not_valid', {
        cause: error,
        ...(first && { detail: first.detail }),
        extra: { errors },
      });
    }
    throw error;
  }
}
