import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { InstanceStore, type Progress } from "../../domain/instance/InstanceStore.ts"
import { orDefect } from "../shared/SqlErrors.ts"

const nothing: Progress = { accounts: 0, categories: 0, posts: 0 }

export const layer = Layer.effect(
  InstanceStore,
  Effect.map(SqlClient.SqlClient, (sql) =>
    InstanceStore.of({
      progress: sql<Progress>`select
          (select count(*)::int from (select from accounts limit 2) a) as accounts,
          (select count(*)::int from (select from categories limit 2) c) as categories,
          (select count(*)::int from (select from posts limit 2) p) as posts`.pipe(
        Effect.map(([row]) => row ?? nothing),
        orDefect
      )
    })
  )
)
