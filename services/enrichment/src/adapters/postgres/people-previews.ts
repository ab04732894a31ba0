import type { Pool } from 'pg';
import type { PreviewPorts } from '../../domain/discovery/people-preview.ts';
import { type PreviewRow, personJoins, previewColumns, previewedPersonOf } from './person-rows.ts';

/** Previews of people; who has left the store since the index looked is not among them. */
export function createReadPreviews(pool: Pool): PreviewPorts['readPreviews'] {
  return async (accountId, personNos) => {
    if (personNos.length === 0) {
      return [];
    }
    const { rows } = await pool.query<PreviewRow & { is_saved: boolean }>(
      `SELECT ${previewColumns}, s.person_no IS NOT NULL AS is_saved
       FROM person p ${personJoins}
       LEFT JOIN saved_person s ON s.account_id = $1 AND s.person_no = p.person_no
       WHERE p.person_no = ANY($2::int[]) ORDER BY array_position($2::int[], p.person_no)`,
      [accountId, personNos],
    );
    return rows.map(previewedPersonOf);
  };
}
