-- The do-not-probe list.

-- name: add_do_not_probe(scope, name, origin, note?)
INSERT INTO do_not_probe (scope, name, origin, note) VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING;

-- name: remove_do_not_probe(scope, name)
DELETE FROM do_not_probe WHERE scope = $1 AND name = $2;

-- name: do_not_probe_list()
SELECT scope, name, origin, note, created_at FROM do_not_probe ORDER BY name, scope;
