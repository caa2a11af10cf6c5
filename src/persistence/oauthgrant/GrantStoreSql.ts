import { PgClient } from "@effect/sql-pg"
import { DateTime, Effect, Layer, Option } from "effect"
import type { SqlError } from "effect/sql"
import { MailTransport } from "../../domain/mail/MailTransport.ts"
import {
  type FoundRefresh,
  GrantStore,
  type NewTokens,
  pageSize,
  type Subject
} from "../../domain/oauthgrant/GrantStore.ts"
import type { OAuthRefreshToken } from "../../domain/oauthgrant/RefreshToken.ts"
import type { AccountId, OAuthClientId, OAuthGrantId, OAuthTokenId } from "../../domain/shared/Id.ts"
import type { Permission } from "../../domain/shared/Permission.ts"
import { readScopes } from "../../domain/vocabulary/Scope.ts"
import { permissionsNow } from "../session/CallerSql.ts"
import { QuickReads } from "../shared/Connections.ts"
import { locking } from "../shared/Locks.ts"
import { pagedList } from "../shared/PagedList.ts"
import { first, run, some } from "../shared/Query.ts"
import { toDate, toDateTime, toTimestamp } from "../shared/Rows.ts"
import { onViolationOf, orDefect } from "../shared/SqlErrors.ts"

/** How long refresh tokens are kept after they have expired, in days. */
const keptDays = 7

/** How many spent refresh tokens of a grant are kept, to know them when they come again. */
const spentMax = 1000

interface SubjectRow {
  readonly account_id: AccountId
  readonly handle: string
  readonly name: string
  readonly suspended: boolean
  readonly permissions: ReadonlyArray<Permission>
  readonly address: string | null
  readonly verified: boolean | null
}

const subjectOf = (row: SubjectRow): Subject => ({
  accountId: row.account_id,
  handle: row.handle,
  name: row.name,
  suspended: row.suspended,
  permissions: new Set(row.permissions),
  email: row.address === null ? undefined : { address: row.address, verified: row.verified === true }
})

/** What is known of a row of `accounts a`, if the service sends mail as the parameter says. */
const subjectText = (sendsMail: string) => `a.id as account_id, a.handle, a.name,
    a.suspended_at is not null as suspended, ${permissionsNow(sendsMail)} as permissions, email.address, email.verified`

const emailText = `left join lateral (
    select address, verified from account_emails where account_id = a.id
    order by verified desc, case when verified then created_at end, created_at desc, id limit 1
  ) email on true`

interface TokensRow {
  readonly id: OAuthTokenId
  readonly grant_id: OAuthGrantId
  readonly client_id: OAuthClientId
  readonly scope: string
  readonly created_at: Date
  readonly expires_at: Date
}

interface RefreshRow extends TokensRow, SubjectRow {
  readonly number: number
  readonly ended: boolean
  readonly spent: boolean
}

interface AccessRow extends TokensRow {
  readonly ended: boolean
  readonly account_id: AccountId
  readonly handle: string
  readonly suspended: boolean
}

const tokensOf = (row: TokensRow & { readonly ended: boolean }) => ({
  id: row.id,
  grantId: row.grant_id,
  clientId: row.client_id,
  // All that is stored was read before.
  scopes: readScopes(row.scope) ?? [],
  createdAt: toDateTime(row.created_at),
  expiresAt: toDateTime(row.expires_at),
  isEnded: row.ended
})

const refreshOf = (row: RefreshRow): FoundRefresh => ({
  ...tokensOf(row),
  number: row.number,
  isSpent: row.spent,
  subject: subjectOf(row)
})

const tokenColumns = "t.id, t.grant_id, g.client_id, t.scope, t.created_at, g.ended_at is not null as ended"

const refreshText = `select ${tokenColumns}, t.refresh_expires_at as expires_at, t.number,
    t.used_at is not null as spent, ${subjectText("$2")}
  from oauth_tokens t join oauth_grants g on g.id = t.grant_id join accounts a on a.id = g.account_id ${emailText}
  where t.refresh_hash = $1`

interface ListedRow {
  readonly id: OAuthTokenId
  readonly created_at: Date
  readonly oauth_client_id: OAuthClientId
  readonly client_id: string
  readonly client_name: string
  readonly account_id: AccountId
  readonly scope: string
  readonly expires_at: Date
  readonly revoked_at: Date | null
  readonly replaced_by: OAuthTokenId | null
  readonly used_at: Date | null
}

const listedOf = (row: ListedRow): OAuthRefreshToken => ({
  id: row.id,
  createdAt: toTimestamp(row.created_at),
  oauth_client_id: row.oauth_client_id,
  client_id: row.client_id,
  client_name: row.client_name,
  account_id: row.account_id,
  scope: row.scope,
  expires_at: toTimestamp(row.expires_at),
  ...(row.revoked_at === null ? {} : { revoked_at: toTimestamp(row.revoked_at) }),
  ...(row.replaced_by === null ? {} : { replaced_by_token_id: row.replaced_by }),
  ...(row.used_at === null ? {} : { last_used_at: toTimestamp(row.used_at) })
})

interface GrantId {
  readonly id: OAuthGrantId
}

/** The row of a grant that a statement stores; none if the client was deleted meanwhile. */
const rowOfClient = (statement: Effect.Effect<ReadonlyArray<GrantId>, SqlError.SqlError>) =>
  statement.pipe(
    onViolationOf("oauth_grants_client_id_fkey", (): ReadonlyArray<GrantId> => []),
    orDefect,
    Effect.catch(Effect.succeed),
    Effect.map(([row]) => row)
  )

interface GrantRow {
  readonly grant_id: OAuthGrantId
  readonly account_id: AccountId
  readonly oauth_client_id: OAuthClientId
  readonly client_id: string
}

const listed = pagedList<ListedRow>({
  table: "oauth_tokens",
  row: "t",
  columns: `t.id, t.created_at, t.scope, t.refresh_expires_at as expires_at, t.replaced_by, t.used_at,
    coalesce(t.used_at, g.ended_at) as revoked_at, g.account_id, g.client_id as oauth_client_id, c.client_id,
    c.name as client_name`,
  order: [["t.id", "desc", "text"]],
  pageSize
})

const makeBeginnings = (sql: PgClient.PgClient): Pick<GrantStore["Service"], "insert" | "insertOwn"> => {
  const insertTokens = (grant: string, { accessExpiresAt, accessId, at, id, refresh, scopes }: NewTokens) =>
    run(sql`insert into oauth_tokens
        (id, grant_id, access_id, access_expires_at, scope, created_at, refresh_hash, refresh_expires_at, number)
      values (${id}, ${grant}, ${accessId}, ${toDate(accessExpiresAt)}, ${scopes.join(" ")}, ${toDate(at)},
        ${refresh?.hash ?? null}, ${refresh === undefined ? null : toDate(refresh.expiresAt)},
        ${refresh === undefined ? null : 1})`)

  return {
    insert: Effect.fnUntraced(function* ({ accountId, clientId, id }, tokens) {
      const inserted = yield* rowOfClient(
        locking(
          "oauth grants"
        )(sql<GrantId>`insert into oauth_grants (id, client_id, account_id, kind, created_at)
          values (${id}, ${clientId}, ${accountId}, 'consent', ${toDate(tokens.at)}) returning id`)
      )
      if (inserted === undefined) return false
      yield* insertTokens(id, tokens)
      return true
    }),

    insertOwn: Effect.fnUntraced(function* ({ accountId, clientId, id }, tokens) {
      // What is there already counts as changed, so that its id is answered.
      const inserted = yield* rowOfClient(
        sql<GrantId>`insert into oauth_grants (id, client_id, account_id, kind, created_at)
          values (${id}, ${clientId}, ${accountId}, 'own', ${toDate(tokens.at)})
          on conflict (client_id, account_id) where kind = 'own' and ended_at is null
            do update set kind = 'own'
          returning id`
      )
      if (inserted === undefined) return false
      yield* insertTokens(inserted.id, tokens)
      return true
    })
  }
}

export const layer = Layer.effect(
  GrantStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const reads = yield* QuickReads
    const sendsMail = (yield* MailTransport) !== undefined

    return GrantStore.of({
      ...makeBeginnings(sql),

      findSubject: (account) =>
        Effect.map(
          first(
            reads.unsafe<SubjectRow>(
              `select ${subjectText("$2")} from accounts a ${emailText} where a.id = $1`,
              [account, sendsMail]
            )
          ),
          (row) => Option.map(Option.fromUndefinedOr(row), subjectOf)
        ),

      findRefresh: (hash) =>
        Effect.map(first(reads.unsafe<RefreshRow>(refreshText, [hash, sendsMail])), (row) =>
          Option.map(Option.fromUndefinedOr(row), refreshOf)
        ),

      findAccess: (accessId) =>
        Effect.map(
          first(
            reads<AccessRow>`select ${reads.literal(tokenColumns)}, t.access_expires_at as expires_at, a.id as account_id,
                a.handle, a.suspended_at is not null as suspended
              from oauth_tokens t join oauth_grants g on g.id = t.grant_id join accounts a on a.id = g.account_id
              where t.access_id = ${accessId}`
          ),
          (row) =>
            Option.map(Option.fromUndefinedOr(row), (row) => ({
              ...tokensOf(row),
              subject: { accountId: row.account_id, handle: row.handle, suspended: row.suspended }
            }))
        ),

      // One statement, so that it needs no transaction. A parallel one waits for the row, and then finds it spent.
      replace: ({ grantId, id, number }, { accessExpiresAt, accessId, at, id: next, refresh, scopes }) =>
        refresh === undefined
          ? Effect.die(new Error("A refresh token is replaced by none"))
          : some(sql`with spent as (
                update oauth_tokens set used_at = ${toDate(at)}, replaced_by = ${next}
                where id = ${id} and used_at is null
                  and exists (select from oauth_grants where id = ${grantId} and ended_at is null)
                returning grant_id
              ), forgotten as (
                delete from oauth_tokens where grant_id = ${grantId} and number = ${number - spentMax}
              )
              insert into oauth_tokens (id, grant_id, access_id, access_expires_at, scope, created_at, refresh_hash,
                refresh_expires_at, number)
              select ${next}, grant_id, ${accessId}, ${toDate(accessExpiresAt)}::timestamptz, ${scopes.join(" ")},
                ${toDate(at)}::timestamptz, ${refresh.hash}::bytea, ${toDate(refresh.expiresAt)}::timestamptz,
                ${number + 1}::int
              from spent returning id`),

      end: (grant, at) =>
        some(sql`update oauth_grants set ended_at = ${toDate(at)} where id = ${grant} and ended_at is null
          returning id`),

      endAccess: (accessId, at) =>
        run(sql`update oauth_tokens set access_expires_at = least(access_expires_at, ${toDate(at)})
          where access_id = ${accessId}`),

      list: (place, account) =>
        Effect.map(
          listed.page(reads, {
            place,
            conditions: [
              reads`t.refresh_hash is not null`,
              ...(account === undefined
                ? []
                : [reads`t.grant_id in (select id from oauth_grants where account_id = ${account})`])
            ],
            joins: reads`join oauth_grants g on g.id = t.grant_id join oauth_clients c on c.id = g.client_id`
          }),
          ({ next, rows, total }) => ({ total, next, tokens: rows.map(listedOf) })
        ),

      findById: (id) =>
        Effect.map(
          first(
            reads<GrantRow>`select t.grant_id, g.account_id, c.id as oauth_client_id, c.client_id
              from oauth_tokens t join oauth_grants g on g.id = t.grant_id join oauth_clients c on c.id = g.client_id
              where t.id = ${id} and t.refresh_hash is not null`
          ),
          (row) =>
            Option.map(
              Option.fromUndefinedOr(row),
              ({ account_id, client_id, grant_id, oauth_client_id }) => ({
                grantId: grant_id,
                accountId: account_id,
                client: { id: oauth_client_id, client_id }
              })
            )
        ),

      forget: Effect.fnUntraced(function* (at) {
        yield* run(
          sql`delete from oauth_tokens where refresh_hash is null and access_expires_at <= ${toDate(at)}`
        )
        const keptFrom = toDate(DateTime.subtract(at, { days: keptDays }))
        // A spent token is of use as long as what has replaced it.
        yield* run(sql`delete from oauth_grants g where kind = 'consent' and not exists (
          select from oauth_tokens t where t.grant_id = g.id
            and (t.refresh_hash is null or t.refresh_expires_at > ${keptFrom}))`)
      })
    })
  })
)
