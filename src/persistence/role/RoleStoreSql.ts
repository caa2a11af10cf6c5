import { Array, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { RoleStore } from "../../domain/role/RoleStore.ts"
import { orDefect } from "../shared/SqlErrors.ts"
import { type RoleRow, roleColumns, roleOf } from "./RoleRows.ts"

export const layer = Layer.effect(
  RoleStore,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const columns = sql.literal(roleColumns)

    return RoleStore.of({
      list: sql<RoleRow>`select ${columns} from roles r order by rank desc`.pipe(
        Effect.map(Array.map(roleOf)),
        orDefect
      ),
      find: (id) =>
        sql<RoleRow>`select ${columns} from roles r where id = ${id}`.pipe(
          Effect.map((rows) => Option.map(Array.head(rows), roleOf)),
          orDefect
        )
    })
  })
)
