"""One row of each main kind, as a service stores it: valid in the schema of 1.0.0 and in each later one."""

STORED_ROWS = """
    INSERT INTO accounts (name) VALUES ('acme');
    INSERT INTO users (account_id, email, name) VALUES (1, 'ada@acme.test', 'ada');
    INSERT INTO api_tokens (account_id, user_id, name, secret_hash, permissions)
      VALUES (1, 1, 'meter', sha256('secret'), '{data_collection:write}');
    INSERT INTO projects (account_id, name, time_zone) VALUES (1, 'Plant', 'Europe/Berlin');

    INSERT INTO event_types (project_id, slug, name) VALUES (1, 'delivery', 'Delivery');
    INSERT INTO data_point_types (project_id, event_type_id, position, slug, name, value_type, unit)
      VALUES (1, 1, 1, 'mass', 'Mass', 'number', 't');
    INSERT INTO locations (project_id, name, lat) VALUES (1, 'Yard', 52.12345678901234567890);
    INSERT INTO feedstocks (project_id, name) VALUES (1, 'Wood');
    INSERT INTO events (project_id, id, event_type_id, start_time, end_time, feedstock_id, location_ids,
                        numbers, is_complete)
      VALUES (1, 4096, 1, '2025-01-01Z', '2025-01-01Z', 1, '{1}', '{1234567890123.123456789012}', true);
    INSERT INTO evidence (project_id, event_id, type, name, url, created_by)
      VALUES (1, 4096, 'url', 'Ticket', 'https://acme.test/ticket', 1);
    INSERT INTO evidence (project_id, event_id, type, name, storage_key, size, content_type, sha256,
                          created_by)
      VALUES (1, 4096, 'file', 'a.pdf', repeat('0f', 16), 9, 'application/pdf', sha256('%PDF-1.7'), 1);

    INSERT INTO model_families (account_id, project_id) VALUES (1, 1);
    INSERT INTO models (family_id, version, name, cadence, partition_type, document, sha256)
      VALUES (1, 1, 'Carbon', 'monthly', 'time', 'cadence: monthly', sha256('cadence: monthly'));
    UPDATE model_families SET active_model_id = 1;

    INSERT INTO async_tasks (account_id, project_id, type, args, user_id, token_id, request_id)
      VALUES (1, 1, 'batch_generation', '{"project_id": 1}', 1, 1, 'req_1');
    INSERT INTO async_task_progress (task_id) VALUES (1);

    INSERT INTO ledgers (project_id, name, unit, family_id) VALUES (1, 'Stored', 't', 1);
    INSERT INTO runs (project_id, family_id, start_time, end_time)
      VALUES (1, 1, '2025-01-01Z', '2025-02-01Z');
    INSERT INTO batches (project_id, ledger_id, run_id, model_id, model_sha256, tracking_id, start_time,
                         end_time, total, credited, share_scale, fingerprint, async_task_id)
      VALUES (1, 1, 1, 1, sha256('cadence: monthly'), '2025-01', '2025-01-01Z', '2025-02-01Z', 10, 10, 6,
              sha256(''), 1);
    INSERT INTO ledger_entries (project_id, ledger_id, batch_id, kind, amount, effective_at, posted_by,
                                run_id, async_task_id)
      VALUES (1, 1, 1, 'credit', 10.000001, '2025-02-01Z', 1, 1, 1);

    INSERT INTO audit_log (account_id, project_id, user_id, token_id, request_id, action, object, after)
      VALUES (1, 1, 1, 1, 'req_1', 'project.create', 'prj_1', '{"name": "Plant"}');
"""
