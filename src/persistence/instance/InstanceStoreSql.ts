import { Effect, Layer } from "effect"
import { InstanceStore, type Progress } from "../../domain/instance/Instance.ts"
import { QuickReads } from "../shared/Connections.ts"
import { first } from "../shared/Query.ts"
import { shareRunningRead } from "../shared/shareRunningRead.ts"

const nothing: Progress = { accounts: 0, categories: 0, posts: 0 }

export const layer = Layer.effect(
  InstanceStore,
  Effect.map(QuickReads, (reads) =>
    InstanceStore.of({
      progress: shareRunningRead(
        Effect.map(
          first(reads<Progress>`select
          (select count(*)::int from (select from accounts limit 2) a) as accounts,
          (select count(*)::int from (select from categories limit 2) c) as categories,
          (select count(*)::int from (select from posts limit 2) p) as posts`),
          (row) => row ?? nothing
        )
      )
    })
  )
)
