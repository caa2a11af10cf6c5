import { Effect, Layer, Option } from "effect"
import { RoleStore } from "../../domain/role/RoleStore.ts"
import { QuickReads } from "../shared/Connections.ts"
import { decoded } from "../shared/Query.ts"
import { RoleRow, roleOf } from "./RoleRows.ts"

const rows = decoded(RoleRow)

const columns = "id, created_at, updated_at, name, colour, permissions, meta, built_in"

export const layer = Layer.effect(
  RoleStore,
  Effect.map(QuickReads, (sql) =>
    RoleStore.of({
      list: Effect.map(rows.all(sql.unsafe(`select ${columns} from roles order by rank desc`)), (roles) =>
        roles.map(roleOf)
      ),
      find: (id) =>
        Effect.map(rows.first(sql.unsafe(`select ${columns} from roles where id = $1`, [id])), (role) =>
          Option.map(Option.fromUndefinedOr(role), roleOf)
        )
    })
  )
)
