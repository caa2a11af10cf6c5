/** Reads what decides who may read a reported thing, if that still exists: by one statement for each kind. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import type { Reported } from "../../domain/report/ReportAudience.ts"
import { type ReportInsert, targetKey } from "../../domain/report/ReportStore.ts"
import { itemKindOf } from "../../domain/report/ReportTarget.ts"
import type { AccountId, NodeId } from "../../domain/shared/Id.ts"
import type { Visibility } from "../../domain/shared/Visibility.ts"
import { all, isOneOf } from "../shared/Query.ts"
import { type StateRow, stateColumns, stateOf } from "../thread/PostStateSql.ts"

interface NodeRow {
  readonly id: NodeId
  readonly owner_id: AccountId
  readonly visibility: Visibility
}

type Kind = Reported["kind"]
type Found = readonly [key: string, reported: Reported]

export const makeFindReported = Effect.map(PgClient.PgClient, (sql) => {
  const posts = (ids: ReadonlyArray<string>) =>
    Effect.map(
      all(sql<StateRow>`select ${sql.literal(stateColumns)} from posts p join threads t on t.id = p.thread_id
        where ${isOneOf(sql, "p.id", ids)} and p.deleted_at is null and t.deleted_at is null`),
      (rows) => rows.map((row): Reported => ({ kind: "post", post: stateOf(row) }))
    )

  const nodes = (ids: ReadonlyArray<string>) =>
    Effect.map(
      all(sql<NodeRow>`select id, owner_id, visibility from nodes where ${isOneOf(sql, "id", ids)}`),
      (rows) =>
        rows.map(
          ({ id, owner_id: ownerId, visibility }): Reported => ({
            kind: "node",
            id,
            standing: { ownerId, visibility }
          })
        )
    )

  const profiles = (ids: ReadonlyArray<string>) =>
    Effect.map(
      all(sql<{ readonly id: AccountId }>`select id from accounts where ${isOneOf(sql, "id", ids)}`),
      (rows) => rows.map(({ id }): Reported => ({ kind: "profile", id }))
    )

  const idOf = (reported: Reported): string => (reported.kind === "post" ? reported.post.id : reported.id)

  return (targets: ReadonlyArray<ReportInsert["target"]>) => {
    const wanted = Map.groupBy(targets, ({ kind }) => itemKindOf(kind))
    const lookedUp = (
      kind: Kind,
      find: (ids: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<Reported>>
    ): Effect.Effect<ReadonlyArray<Found>> => {
      const ids = [...new Set((wanted.get(kind) ?? []).map(({ id }) => id))]
      return ids.length === 0
        ? Effect.succeed([])
        : Effect.map(find(ids), (found) =>
            found.map((reported): Found => [targetKey({ kind, id: idOf(reported) }), reported])
          )
    }
    return Effect.map(
      Effect.all([lookedUp("post", posts), lookedUp("node", nodes), lookedUp("profile", profiles)]),
      (found) => new Map(found.flat())
    )
  }
})
