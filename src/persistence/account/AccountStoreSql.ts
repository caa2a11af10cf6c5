import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Option, Schema } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { HandleTaken } from "../../domain/account/Account.ts"
import { AccountStore, InvitationGone } from "../../domain/account/AccountStore.ts"
import { formsOf } from "../../domain/account/AccountText.ts"
import { handleKey } from "../../domain/account/Handle.ts"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import { receiverOf } from "../../domain/notification/NotificationRules.ts"
import { builtIn } from "../../domain/role/Role.ts"
import type { AccountId, AssetId } from "../../domain/shared/Id.ts"
import { Permission } from "../../domain/shared/Permission.ts"
import { roleFields, roleOf } from "../role/RoleRows.ts"
import { permissionsNow } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { insertRows } from "../shared/insertRows.ts"
import { locking } from "../shared/Locks.ts"
import { decoded, first, run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { onUniqueViolation, onViolationOf, orDefect } from "../shared/SqlErrors.ts"
import { makeTagWriter } from "../tag/TagWriter.ts"
import { makeUnreadCount } from "../visibility/UnreadCountSql.ts"
import { AccountRow, accountColumns, accountOf } from "./AccountRows.ts"
import { byHandle, byHandleOrId } from "./HandleSql.ts"
import { ProfileCache, peopleVersion } from "./ProfileCache.ts"

const accountRows = decoded(Schema.Struct({ ...AccountRow.fields, permissions: Schema.Array(Permission) }))
const HeldRoleRow = Schema.Struct({ ...roleFields, badge: Schema.Boolean })
const roleRows = decoded(HeldRoleRow)

const accountText = `select ${accountColumns}, ${permissionsNow("$2")} as permissions,
    case when a.invited_by is not null then ${peopleVersion} end as people_version
  from accounts a where a.id = $1`

const rolesText = `select r.id, r.created_at, r.updated_at, r.name, r.colour, r.permissions, r.meta, r.built_in,
    coalesce(held.badge, false) as badge
  from roles r
  left join account_roles held on held.role_id = r.id and held.account_id = $1
  where held.role_id is not null or r.id = '${builtIn.member}'
    or (r.id = '${builtIn.admin}' and exists (select from accounts where id = $1 and admin))
  order by r.rank desc`

type Store = AccountStore["Service"]

const makeParts = Effect.gen(function* () {
  return {
    sql: yield* PgClient.PgClient,
    reads: yield* QuickReads,
    tags: yield* makeTagWriter,
    unreadCount: yield* makeUnreadCount,
    people: yield* ProfileCache,
    sendsMail: (yield* MailTransport) !== undefined
  }
})
type Parts = Effect.Success<typeof makeParts>

const inviterOf = (
  { people }: Parts,
  { invited_by, people_version }: Pick<typeof AccountRow.Type, "invited_by" | "people_version">
) =>
  invited_by === null || people_version === null
    ? Effect.undefined
    : Effect.map(people.resolve([invited_by], people_version), ({ get }) => get(invited_by))

const find = (parts: Parts): Store["find"] =>
  Effect.fnUntraced(function* (id) {
    const { reads, sendsMail, unreadCount } = parts
    const [account, roles] = yield* Effect.all(
      [
        accountRows.first(reads.unsafe(accountText, [id, sendsMail])),
        roleRows.all(reads.unsafe(rolesText, [id]))
      ],
      { concurrency: "unbounded" }
    )
    if (account === undefined) return Option.none()
    const receiver = receiverOf({ accountId: id, permissions: new Set(account.permissions) })
    const [unread, inviter] = yield* Effect.all([unreadCount(receiver), inviterOf(parts, account)], {
      concurrency: "unbounded"
    })
    const held = roles.map((role) => ({ ...roleOf(role), badge: role.badge }))
    return Option.some(accountOf(account, { roles: held, unread, inviter }))
  })

const findIdWhere = (reads: SqlClient.SqlClient, found: Statement.Fragment) =>
  Effect.map(first(reads<{ readonly id: AccountId }>`select id from accounts where ${found}`), (row) =>
    Option.map(Option.fromUndefinedOr(row), ({ id }) => id)
  )

const insert = (sql: PgClient.PgClient): Store["insert"] =>
  Effect.fnUntraced(
    function* ({ at, handle, id, invitationId, kind = "human" }) {
      // The transaction that writes the one row founds the instance; the others wait for it and find it taken.
      const founded = yield* locking("account")(
        sql`insert into founder (account_id) values (${id}) on conflict do nothing returning account_id`
      )
      const { handleForm, nameForm } = formsOf({ name: handle, handle })
      yield* sql`insert into accounts
          (id, kind, created_at, updated_at, handle, handle_key, name, name_form, handle_form, admin,
            invitation_id, invited_by)
        values (${id}, ${kind}, ${toDate(at)}, ${toDate(at)}, ${handle}, ${handleKey(handle)}, ${handle}, ${nameForm},
          ${handleForm}, ${founded.length > 0}, ${invitationId ?? null},
          (select creator_id from invitations where id = ${invitationId ?? null}))`
      return founded.length > 0
    },
    (insertion, { handle }) =>
      insertion.pipe(
        onUniqueViolation(() => new HandleTaken({ metadata: { handle } })),
        onViolationOf("accounts_invitation_id_fkey", () => new InvitationGone())
      ),
    orDefect
  )

const setInterests = Effect.fnUntraced(function* (
  { sql, tags }: Parts,
  id: AccountId,
  names: ReadonlyArray<string>,
  at: Date
) {
  const wanted = yield* tags.resolve(names, at)
  yield* sql`delete from account_interests where account_id = ${id}`
  yield* insertRows(
    sql,
    "account_interests",
    wanted.map((tag_id) => ({ account_id: id, tag_id }))
  )
})

const update =
  (parts: Parts): Store["update"] =>
  (id, { bio, handle, interests, links, meta, name, signature, verifiedStatus }, at) =>
    Effect.gen(function* () {
      const { sql } = parts
      const { handleForm, nameForm } = formsOf({ name, handle })
      yield* locking("account")(sql`update accounts set updated_at = ${toDate(at)},
          handle = coalesce(${handle ?? null}, handle), name = coalesce(${name ?? null}, name),
          handle_key = coalesce(${handle === undefined ? null : handleKey(handle)}, handle_key),
          handle_form = coalesce(${handleForm ?? null}, handle_form),
          name_form = coalesce(${nameForm ?? null}, name_form),
          bio = coalesce(${bio ?? null}, bio), signature = coalesce(${signature ?? null}, signature),
          links = coalesce(${links === undefined ? null : sql.json(links)}, links),
          meta = coalesce(${meta === undefined ? null : sql.json(meta)}, meta),
          verified_status = coalesce(${verifiedStatus ?? null}, verified_status)
        where id = ${id}`)
      if (interests !== undefined) yield* setInterests(parts, id, interests, toDate(at))
    }).pipe(
      onUniqueViolation(() => new HandleTaken({ metadata: { handle: handle ?? "" } })),
      orDefect
    )

const setAdmin =
  (sql: PgClient.PgClient): Store["setAdmin"] =>
  (id, admin) =>
    some(
      locking("account")(sql`update accounts set admin = ${admin}
        where id = ${id} and admin <> ${admin} returning id`)
    )

const setSuspension =
  (sql: PgClient.PgClient): Store["setSuspension"] =>
  (id, since, at) =>
    run(
      locking("account")(sql`update accounts set updated_at = ${toDate(at)},
        suspended_at = ${since === undefined ? null : toDate(since)} where id = ${id}`)
    )

const findAvatar =
  (reads: SqlClient.SqlClient): Store["findAvatar"] =>
  (text) =>
    Effect.map(
      first(
        reads<{ readonly id: AccountId; readonly avatar_id: AssetId | null }>`select id, avatar_id
          from accounts where ${byHandleOrId(reads, text)}`
      ),
      (row) =>
        row === undefined
          ? Option.none()
          : Option.some({ accountId: row.id, assetId: row.avatar_id ?? undefined })
    )

const setAvatar =
  (sql: PgClient.PgClient): Store["setAvatar"] =>
  (id, asset, at) =>
    run(
      locking("account")(sql`update accounts set avatar_id = ${asset}, updated_at = ${toDate(at)}
        where id = ${id}`)
    )

export const layer = Layer.effect(
  AccountStore,
  Effect.gen(function* () {
    const parts = yield* makeParts
    const { reads, sql } = parts
    return AccountStore.of({
      find: find(parts),
      findIdByHandle: (handle) => findIdWhere(reads, byHandle(reads, handle)),
      findIdByHandleOrId: (text) => findIdWhere(reads, byHandleOrId(reads, text)),
      any: some(reads`select from accounts limit 1`),
      insert: insert(sql),
      update: update(parts),
      setAdmin: setAdmin(sql),
      hasAdministrator: some(sql`select from accounts where admin and suspended_at is null limit 1`),
      setSuspension: setSuspension(sql),
      findAvatar: findAvatar(reads),
      setAvatar: setAvatar(sql)
    })
  })
).pipe(Layer.provide(ProfileCache.layer))
