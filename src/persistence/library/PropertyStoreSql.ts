import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { PropertyStore } from "../../domain/library/PropertyStore.ts"
import { run, some } from "../shared/Query.ts"
import { toDate } from "../shared/Rows.ts"
import { makePropertyFields } from "./PropertyFieldsSql.ts"
import { makePropertyMoves } from "./PropertyMovesSql.ts"
import { makePropertyReads } from "./PropertyReads.ts"
import { makePropertyValues } from "./PropertyValuesSql.ts"

export const layer = Layer.effect(
  PropertyStore,
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient

    return PropertyStore.of({
      ...(yield* makePropertyReads),
      ...(yield* makePropertyFields),
      ...(yield* makePropertyValues),
      ...(yield* makePropertyMoves),

      hasChildren: (node) => some(sql`select from nodes where parent_id = ${node} limit 1`),

      noteEdit: (node, at, isVersioned) =>
        run(sql`update nodes set updated_at = greatest(${toDate(at)}, updated_at + interval '1 millisecond'),
            current_version_id = case when not ${isVersioned}::boolean then current_version_id end
          where id = ${node}`)
    })
  })
)
