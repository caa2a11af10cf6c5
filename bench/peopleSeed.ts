import { accounts, idOf, sqlId } from "./seedParts.ts"

const roles = 200

/** The account that may do everything, and has no part in what is measured as a member. */
export const administrator = 1

/** A community of 100,000 accounts, half of them with an address, who hold two of 200 roles each. */
export const people = [
  `insert into roles (id, created_at, updated_at, name, colour, permissions, rank)
    select ${sqlId("r", "n")}, '2026-01-01Z', '2026-01-01Z', 'Role ' || n, 'blue',
      case when n % 2 = 0 then '{CREATE_POST,CREATE_REACTION,READ_PROFILE}' else '{UPLOAD_ASSET,COLLECTION_SUBMIT}' end::text[],
      n + 1
    from generate_series(0, ${roles - 1}) n`,
  `insert into accounts (id, created_at, updated_at, handle, handle_key, handle_form, name, name_form)
    select ${sqlId("a", "n")}, '2026-01-01Z'::timestamptz - n * interval '1 minute',
      '2026-01-01Z'::timestamptz + n * interval '1 second', 'member' || n, 'member' || n, 'member' || n,
      'Member ' || n, 'member ' || n
    from generate_series(0, ${accounts - 1}) n`,
  `update accounts set admin = true where id = '${idOf("a", administrator)}'`,
  // A trigger would count the addresses of one account after the other.
  `alter table account_emails disable trigger user`,
  `insert into account_emails (id, account_id, created_at, address, verified)
    select ${sqlId("m", "n")}, ${sqlId("a", "n * 2")}, '2026-01-01Z', 'member' || n * 2 || '@forum.example', true
    from generate_series(0, ${accounts / 2 - 1}) n`,
  `set constraints all immediate`,
  `alter table account_emails enable trigger user`,
  `insert into account_roles (account_id, role_id)
    select ${sqlId("a", "n")}, ${sqlId("r", `(n + k * 7) % ${roles}`)}
    from generate_series(0, ${accounts - 1}) n, generate_series(0, 1) k`
]
