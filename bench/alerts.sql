-- SPDX-License-Identifier: GPL-2.0-or-later
-- Many alerts, as if found long ago, one a second.
INSERT INTO nsecwatch.alert (id, track, from_kernel_id, to_kernel_id, benchmark_id, direction, part, rule_id, state,
	n_series, worst_percent, machine_ids, config_ids, created_at)
SELECT gen_random_uuid(), 'mainline', k.ids[i % (k.n - 1) + 1], k.ids[i % (k.n - 1) + 2], b.ids[i / (k.n - 1) % b.n + 1],
	'regression', i / ((k.n - 1) * b.n), (SELECT min(id) FROM nsecwatch.rule), 'new', 1, 10, '{1}', '{1}',
	timestamptz '2026-01-01' + i * interval '1 second'
FROM (SELECT array_agg(id ORDER BY sort_key) AS ids, count(*)::integer AS n FROM nsecwatch.kernel) k,
	(SELECT array_agg(id ORDER BY id) AS ids, count(*)::integer AS n FROM nsecwatch.benchmark) b,
	generate_series(0, :alerts - 1) i;
VACUUM ANALYZE nsecwatch.alert;
